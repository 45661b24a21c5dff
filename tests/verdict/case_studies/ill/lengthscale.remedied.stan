// A Gaussian process whose lengthscale has no prior, on data without a trend: Betancourt, Robust Gaussian Processes in Stan
// (2017). Beyond the range of the inputs all lengthscales have the same likelihood.
// Remedied: a prior that holds the lengthscale within the spacing and the range of the inputs.
data {
  int<lower=1> N;
  array[N] real x;
  vector[N] y;
}
parameters {
  real<lower=0> lengthscale;
  real<lower=0> amplitude;
  real<lower=0> sigma;
}
model {
  lengthscale ~ inv_gamma(3, 0.6);
  amplitude ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y ~ multi_normal(rep_vector(0, N), add_diag(gp_exp_quad_cov(x, amplitude, lengthscale), square(sigma)));
}
