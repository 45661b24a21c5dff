// Correlated traits; the outputs have ones on a diagonal and zeros above another.
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] vector[K] y;
}
parameters {
  vector[K] mu;
  vector<lower=0>[K] sd;
  cholesky_factor_corr[K] L;
}
model {
  mu ~ normal(0, 5);
  sd ~ normal(0, 2);
  L ~ lkj_corr_cholesky(2);
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(sd, L));
}
generated quantities {
  matrix[K, K] correlation = multiply_lower_tri_self_transpose(L);
}
