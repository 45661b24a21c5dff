// A regression on a covariance function: covariances, a Cholesky factor, a triangular solve.
data {
  int<lower=1> N;
  array[N] real x;
  vector[N] y;
}
parameters {
  real<lower=0> amplitude;
  real<lower=0> lengthscale;
  real<lower=0> noise;
}
model {
  matrix[N, N] K = add_diag(gp_exp_quad_cov(x, amplitude, lengthscale), square(noise));
  amplitude ~ normal(0, 1);
  lengthscale ~ inv_gamma(5, 5);
  noise ~ normal(0, 1);
  y ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}
