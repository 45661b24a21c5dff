// Deaths by horse kicks in Prussian corps: von Bortkiewicz (1898); Bolker, Ecological Models and Data in R, for the negative
// binomial. The counts are not overdispersed, and phi has no prior: the likelihood tends to Poisson's for large phi.
// Remedied: a prior on the overdispersion, 1/phi.
data {
  int<lower=0> K;
  array[K + 1] int<lower=0> years_with;
}
parameters {
  real<lower=0> mu;
  real<lower=0> inverse_phi;
}
model {
  mu ~ normal(1, 1);
  inverse_phi ~ exponential(1);
  for (k in 0:K) {
    target += years_with[k + 1] * neg_binomial_2_lpmf(k | mu, inv(inverse_phi));
  }
}
