// Waiting times in cafés in the morning and afternoon, correlated intercepts and slopes that are not centred: McElreath,
// Statistical Rethinking, 2nd ed., section 14.1; simulated.
data {
  int<lower=1> N;
  int<lower=1> C;
  array[N] int<lower=1, upper=C> cafe;
  vector[N] afternoon;
  vector[N] minutes;
}
parameters {
  matrix[2, C] z;
  vector[2] mu;
  vector<lower=0>[2] tau;
  cholesky_factor_corr[2] L;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[2, C] effect = rep_matrix(mu, C) + diag_pre_multiply(tau, L) * z;
}
model {
  to_vector(z) ~ std_normal();
  mu ~ normal([5, -1], [2, 0.5]);
  tau ~ gamma(3, 4);
  L ~ lkj_corr_cholesky(2);
  sigma ~ exponential(1);
  minutes ~ normal(effect[1, cafe]' + effect[2, cafe]' .* afternoon, sigma);
}
generated quantities {
  corr_matrix[2] Rho = multiply_lower_tri_self_transpose(L);
}
