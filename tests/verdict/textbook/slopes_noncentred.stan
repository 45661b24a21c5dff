// Random intercepts and slopes that are correlated, not centred.
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters { vector[2] mu; vector<lower=0>[2] tau; cholesky_factor_corr[2] L; real<lower=0> sigma; matrix[2, J] z; }
transformed parameters {
  array[J] vector[2] b;
  for (j in 1:J) b[j] = mu + diag_pre_multiply(tau, L) * z[, j];
}
model {
  mu ~ normal(0, 2);
  tau ~ lognormal(-0.3, 0.4);
  L ~ lkj_corr_cholesky(2);
  sigma ~ lognormal(-0.5, 0.3);
  to_vector(z) ~ std_normal();
  for (i in 1:N) y[i] ~ normal(b[g[i], 1] + b[g[i], 2] * x[i], sigma);
}
