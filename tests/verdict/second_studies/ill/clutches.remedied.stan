// Eggs that hatched of clutches in fields some of which were sprayed, beta-binomial; the sum of the beta distribution's
// parameters isn't declared positive: Williams, Biometrics 31 (1975); Gelman et al., Bayesian Data Analysis, chapter 5;
// simulated. Remedied.
data {
  int<lower=1> J;
  array[J] int<lower=1> eggs;
  array[J] int<lower=0> hatched;
}
parameters {
  real<lower=0, upper=1> mu;
  real<lower=0> kappa;
}
model {
  mu ~ beta(2, 2);
  kappa ~ normal(0, 5);
  hatched ~ beta_binomial(eggs, mu * kappa, (1 - mu) * kappa);
}
