// Three measures of Egyptian skulls of three epochs, multivariate normal with an LKJ prior of correlations: Thomson and
// Randall-Maciver, Ancient Races of the Thebaid (1905); simulated.
data {
  int<lower=1> N;
  vector[N] epoch;
  array[N] vector[3] y;
}
parameters {
  vector[3] alpha;
  vector[3] beta;
  vector<lower=0>[3] sigma;
  cholesky_factor_corr[3] L;
}
model {
  alpha ~ normal(120, 30);
  beta ~ normal(0, 5);
  sigma ~ normal(0, 10);
  L ~ lkj_corr_cholesky(2);
  for (n in 1:N) {
    y[n] ~ multi_normal_cholesky(alpha + beta * epoch[n], diag_pre_multiply(sigma, L));
  }
}
generated quantities {
  corr_matrix[3] correlation = multiply_lower_tri_self_transpose(L);
}
