// Weights of pups (as deviations from a norm) in twelve litters, litters by standard normal effects times a scale: Pinheiro and
// Bates, Mixed-Effects Models in S and S-PLUS (2000), on rat pups; simulated. The scale was declared as any real number, and
// changing the signs of it and of all effects changes nothing.
// expect: multimodal scale/z
// expect: label_switching scale/z
// expect: missing_constraint scale
// may: scale z
// sample: --chains 8
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> litter;
  vector[N] weight;
}
parameters {
  real mu;
  real scale;
  vector[J] z;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  scale ~ normal(0, 2);
  z ~ std_normal();
  sigma ~ normal(0, 2);
  weight ~ normal(mu + scale * z[litter], sigma);
}
