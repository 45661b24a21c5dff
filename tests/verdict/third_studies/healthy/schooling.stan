// Wages by schooling, with distance to a college as an instrument: two equations whose errors are correlated: Card (1995), in
// Aspects of Labour Market Behaviour; simulated.
data {
  int<lower=1> N;
  vector[N] near;
  vector[N] schooling;
  vector[N] wage;
}
transformed data {
  array[N] vector[2] y;
  for (n in 1:N) {
    y[n] = [schooling[n], wage[n]]';
  }
}
parameters {
  vector[2] a;
  real first;
  real effect;
  vector<lower=0>[2] sigma;
  cholesky_factor_corr[2] L;
}
model {
  array[N] vector[2] mu;
  for (n in 1:N) {
    mu[n] = [a[1] + first * near[n], a[2] + effect * schooling[n]]';
  }
  a ~ normal(0, 1);
  first ~ normal(0, 1);
  effect ~ normal(0, 1);
  sigma ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
  y ~ multi_normal_cholesky(mu, diag_pre_multiply(sigma, L));
}
generated quantities {
  real rho = L[2, 1];
  real reduced_form = first * effect;
}
