// Random intercepts and slopes that are correlated, centred.
// reference: slopes_noncentred
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; vector[N] y; }
parameters { vector[2] mu; vector<lower=0>[2] tau; cholesky_factor_corr[2] L; real<lower=0> sigma; array[J] vector[2] b; }
model {
  mu ~ normal(0, 2);
  tau ~ lognormal(-0.3, 0.4);
  L ~ lkj_corr_cholesky(2);
  sigma ~ lognormal(-0.5, 0.3);
  b ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));
  for (i in 1:N) y[i] ~ normal(b[g[i], 1] + b[g[i], 2] * x[i], sigma);
}
