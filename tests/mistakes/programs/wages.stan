// Wages that are only known above a cutoff, and slopes that vary together by trade.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> trade;
  vector[N] years;
  vector[N] wage;
  real cutoff;
  cov_matrix[2] prior_cov;
}
parameters {
  array[J] vector[2] b;
  vector[2] mu;
  cholesky_factor_corr[2] L;
  vector<lower=0>[2] tau;
  real<lower=0> sigma;
}
model {
  mu ~ multi_normal(rep_vector(0, 2), prior_cov);
  tau ~ normal(0, 2);
  L ~ lkj_corr_cholesky(2);
  b ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));
  sigma ~ normal(0, 2);
  for (n in 1:N) {
    real fitted = b[trade[n], 1] + b[trade[n], 2] * years[n];
    wage[n] ~ normal(fitted, sigma) T[cutoff, ];
  }
}
