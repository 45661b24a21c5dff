// Variance between sires as total less within, and its root: Falconer and Mackay, Introduction to Quantitative Genetics, chapter
// 10; Searle, Casella and McCulloch, Variance Components; simulated. The difference is negative in some draws.
// Remedied: a variance that is zero where the difference is negative.
data {
  int<lower=1> N;
  int<lower=1> S;
  real<lower=0> ss_within;
  real<lower=0> ss_total;
}
parameters {
  real<lower=0> variance_within;
  real<lower=0> variance_total;
}
model {
  variance_within ~ inv_gamma(2, 2);
  variance_total ~ inv_gamma(2, 2);
  ss_within / variance_within ~ chi_square(N - S);
  target += -log(variance_within);
  ss_total / variance_total ~ chi_square(N - 1);
  target += -log(variance_total);
}
generated quantities {
  real<lower=0> sd_sire = sqrt(fmax(variance_total - variance_within, 0));
}
