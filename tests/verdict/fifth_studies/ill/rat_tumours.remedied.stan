// Tumours of rats in fourteen experiments, probabilities drawn from a beta distribution whose size has a half-Cauchy prior: Gelman
// et al., Bayesian Data Analysis (2013), section 5.3; Carpenter, Hierarchical Partial Pooling (Stan case study, 2016); made up,
// with experiments alike: the size may be as large as its prior allows, and that has no mean. Remedied: probabilities integrated
// out, the correlation of rats as the parameter.
data {
  int<lower=1> J;
  array[J] int<lower=1> rats;
  array[J] int<lower=0> tumours;
}
parameters {
  real<lower=0, upper=1> mu;
  real<lower=0, upper=1> alike;
}
model {
  real kappa = 1 / alike - 1;
  mu ~ beta(2, 5);
  alike ~ beta(2, 20);
  tumours ~ beta_binomial(rats, mu * kappa, (1 - mu) * kappa);
}
