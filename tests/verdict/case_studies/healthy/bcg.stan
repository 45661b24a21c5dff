// Vaccine against tuberculosis in thirteen trials, log risk ratios by latitude: Colditz et al. (1994), Berkey et al. (1995).
// sample: --adapt-delta 0.95
data {
  int<lower=1> J;
  vector[J] log_rr;
  vector<lower=0>[J] variance;
  vector[J] latitude;
}
parameters {
  real mu;
  real per_ten_degrees;
  real<lower=0> tau;
}
model {
  mu ~ normal(0, 1);
  per_ten_degrees ~ normal(0, 0.5);
  tau ~ gamma(2, 4);
  log_rr ~ normal(mu + per_ten_degrees * (latitude - mean(latitude)) / 10, sqrt(variance + square(tau)));
}
generated quantities {
  real i_squared = square(tau) / (square(tau) + 1 / mean(inv(variance)));
  real risk_ratio = exp(mu);
  real next_trial = exp(student_t_rng(4, mu, tau));
}
