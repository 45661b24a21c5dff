// Great inventions and discoveries per year as Poisson counts whose rate is a Gaussian process: McNeil, Interactive Data
// Analysis (1977); Vanhatalo et al., Journal of Machine Learning Research 14 (2013); simulated. Latent rates are not centred.
// sample: --adapt-delta 0.99
data {
  int<lower=1> T;
  array[T] int<lower=0> inventions;
}
transformed data {
  array[T] real year = linspaced_array(T, 0, 5);
}
parameters {
  real base;
  real<lower=0> amplitude;
  real<lower=0> length;
  vector[T] z;
}
transformed parameters {
  vector[T] log_rate = base + cholesky_decompose(add_diag(gp_exp_quad_cov(year, amplitude, length), 1e-6)) * z;
}
model {
  base ~ normal(1, 1);
  amplitude ~ normal(0, 0.7);
  length ~ inv_gamma(6, 6);
  z ~ std_normal();
  inventions ~ poisson_log(log_rate);
}
