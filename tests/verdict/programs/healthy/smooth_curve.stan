// A small Gaussian process, its kernel written out.
data {
  int<lower=1> N;
  array[N] real x;
  vector[N] y;
}
parameters {
  real<lower=0> amplitude;
  real<lower=0> lengthscale;
  real<lower=0> sigma;
}
model {
  matrix[N, N] K = gp_exp_quad_cov(x, amplitude, lengthscale);
  for (i in 1:N)
    K[i, i] += square(sigma);
  amplitude ~ normal(0, 2);
  lengthscale ~ inv_gamma(5, 5);
  sigma ~ normal(0, 1);
  y ~ multi_normal(rep_vector(0, N), K);
}
