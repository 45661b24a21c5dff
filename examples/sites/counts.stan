// Counts along a line: a Gaussian process of known lengthscale and amplitude gives the log of their rate.
data {
  int<lower=1> N;
  array[N] real x;
  array[N] int<lower=0> y;
  real<lower=0> lengthscale;
  real<lower=0> amplitude;
}
transformed data {
  matrix[N, N] L = cholesky_decompose(add_diag(gp_exp_quad_cov(x, amplitude, lengthscale), 1e-6));
}
parameters {
  vector[N] z;
}
transformed parameters {
  vector[N] log_rate = L * z;
}
model {
  z ~ std_normal();
  y ~ poisson_log(log_rate);
}
