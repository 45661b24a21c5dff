// Classes along a line: a Gaussian process of known lengthscale and amplitude gives their log odds.
data {
  int<lower=1> N;
  array[N] real x;
  array[N] int<lower=0, upper=1> y;
  real<lower=0> lengthscale;
  real<lower=0> amplitude;
}
transformed data {
  matrix[N, N] K = add_diag(gp_exp_quad_cov(x, amplitude, lengthscale), 1e-6);
}
parameters {
  vector[N] f;
}
model {
  f ~ multi_normal(rep_vector(0, N), K);
  y ~ bernoulli_logit(f);
}
