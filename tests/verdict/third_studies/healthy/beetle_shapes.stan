// Three measures of beetles and their correlations: Lubischew, Biometrics 18 (1962); simulated. The diagonal of the correlation
// matrix and half of its factor never change.
data {
  int<lower=1> N;
  array[N] vector[3] y;
}
parameters {
  vector[3] mu;
  vector<lower=0>[3] sigma;
  cholesky_factor_corr[3] L;
}
model {
  mu ~ normal(3, 5);
  sigma ~ normal(0, 3);
  L ~ lkj_corr_cholesky(2);
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(sigma, L));
}
generated quantities {
  corr_matrix[3] Omega = multiply_lower_tri_self_transpose(L);
  vector[3] next = multi_normal_cholesky_rng(mu, diag_pre_multiply(sigma, L));
}
