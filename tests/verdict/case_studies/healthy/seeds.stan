// Germination of seeds on 21 plates, two kinds of seed and two extracts: Crowder (1978); BUGS examples, volume 1, "Seeds".
data {
  int<lower=1> N;
  array[N] int<lower=0> germinated;
  array[N] int<lower=1> seeds;
  vector[N] kind;
  vector[N] extract;
}
parameters {
  real alpha;
  vector[3] beta;
  real<lower=0> tau;
  vector[N] z;
}
transformed parameters {
  vector[N] plate = tau * z;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  tau ~ normal(0, 1);
  z ~ std_normal();
  germinated ~ binomial_logit(seeds, alpha + beta[1] * kind + beta[2] * extract + beta[3] * kind .* extract + plate);
}
generated quantities {
  real<lower=0> variance_inflation = inv(tau);
}
