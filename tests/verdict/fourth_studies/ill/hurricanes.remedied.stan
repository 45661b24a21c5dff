// Hurricanes that reach a coast, forty years of counts with a rate that moves as a Gaussian process, given by its values: Elsner
// and Jagger, Hurricane Climatology (2013); simulated, with a rate that doesn't move. Remedied.
// sample: --adapt-delta 0.99
data {
  int<lower=1> T;
  array[T] real year;
  array[T] int<lower=0> y;
}
parameters {
  real mu;
  real<lower=0> amplitude;
  real<lower=0> range;
  vector[T] z;
}
transformed parameters {
  vector[T] f = amplitude * (cholesky_decompose(add_diag(gp_exponential_cov(year, 1.0, range), 1e-6)) * z);
}
model {
  mu ~ normal(1, 1);
  amplitude ~ normal(0, 1);
  range ~ inv_gamma(5, 10);
  z ~ std_normal();
  y ~ poisson_log(mu + f);
}
