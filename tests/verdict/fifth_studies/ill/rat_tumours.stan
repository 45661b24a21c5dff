// Tumours of rats in fourteen experiments, probabilities drawn from a beta distribution whose size has a half-Cauchy prior: Gelman
// et al., Bayesian Data Analysis (2013), section 5.3; Carpenter, Hierarchical Partial Pooling (Stan case study, 2016); made up,
// with experiments alike: the size may be as large as its prior allows, and that has no mean.
// expect: funnel kappa/p
// expect: heavy_tails kappa
// expect: missing_mass kappa/p
// may: kappa p mu
data {
  int<lower=1> J;
  array[J] int<lower=1> rats;
  array[J] int<lower=0> tumours;
}
parameters {
  real<lower=0, upper=1> mu;
  real<lower=0> kappa;
  vector<lower=0, upper=1>[J] p;
}
model {
  mu ~ beta(2, 5);
  kappa ~ cauchy(0, 50);
  p ~ beta(mu * kappa, (1 - mu) * kappa);
  tumours ~ binomial(rats, p);
}
