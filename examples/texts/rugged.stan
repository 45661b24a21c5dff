// Log income against the ruggedness of the land, in Africa and elsewhere, by a regression that isn't conjugate [murphy2023, 10.3.4.3]. Data are
// simulated with slopes -0.2 elsewhere and 0.15 in Africa. A diagonal normal distribution has means as NUTS, variances that are too small and no
// correlations; a full one agrees.
//   credo approximate examples/texts/rugged.stan --data examples/texts/rugged.json --covariance diagonal
data {
  int<lower=1> N;
  vector[N] ruggedness;
  vector<lower=0, upper=1>[N] africa;
  vector[N] log_income;
}
parameters {
  real a;
  vector[3] b;
  real<lower=0, upper=10> sigma;
}
model {
  a ~ normal(0, 10);
  b ~ normal(0, 1);
  log_income ~ normal(a + b[1] * ruggedness + b[2] * africa + b[3] * (africa .* ruggedness), sigma);
}
