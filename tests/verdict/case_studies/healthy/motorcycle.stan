// A Gaussian process with the function integrated out, and its values at new points: Silverman's motorcycle accidents (1985),
// simulated and thinned; Bayesian Data Analysis, 3rd ed., chapter 21.
data {
  int<lower=1> N;
  int<lower=1> M;
  array[N] real ms;
  vector[N] acceleration;
  array[M] real new_ms;
}
transformed data {
  vector[N] y = acceleration / 50;
}
parameters {
  real<lower=0> lengthscale;
  real<lower=0> amplitude;
  real<lower=0> sigma;
}
model {
  matrix[N, N] K = add_diag(gp_exp_quad_cov(ms, amplitude, lengthscale), square(sigma));
  lengthscale ~ inv_gamma(5, 30);
  amplitude ~ normal(0, 1);
  sigma ~ normal(0, 0.5);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}
generated quantities {
  vector[M] f;
  {
    matrix[N, N] L = cholesky_decompose(add_diag(gp_exp_quad_cov(ms, amplitude, lengthscale), square(sigma)));
    matrix[N, M] v = mdivide_left_tri_low(L, gp_exp_quad_cov(ms, new_ms, amplitude, lengthscale));
    matrix[M, M] remaining = add_diag(gp_exp_quad_cov(new_ms, amplitude, lengthscale) - v' * v, 1e-8);
    f = 50 * multi_normal_rng(v' * mdivide_left_tri_low(L, y), remaining);
  }
}
