// Twenty plants in four classes by two linked genes, probabilities that depend on the squared share of recombinants: Rao, Linear
// Statistical Inference and its Applications (1973), section 5g; Tanner, Tools for Statistical Inference (1996), the small sample.
// The share is between 0 and 1 and was declared as any real number. Remedied.
data {
  array[4] int<lower=0> plants;
}
parameters {
  real<lower=0, upper=1> theta;
}
model {
  theta ~ normal(0.5, 0.5);
  plants ~ multinomial([0.5 + theta / 4, (1 - theta) / 4, (1 - theta) / 4, theta / 4]');
}
