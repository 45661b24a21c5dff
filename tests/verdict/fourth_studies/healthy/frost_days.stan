// Days with frost in ten at twenty-five dates of a year, binomial with a latent Gaussian process: Rasmussen and Williams,
// Gaussian Processes for Machine Learning (2006), chapter 3; simulated.
// sample: --adapt-delta 0.99
data {
  int<lower=1> N;
  array[N] real date;
  array[N] int<lower=0, upper=10> frost;
}
parameters {
  real mu;
  real<lower=0> amplitude;
  real<lower=0> range;
  vector[N] z;
}
model {
  vector[N] f = amplitude * (cholesky_decompose(add_diag(gp_exp_quad_cov(date, 1.0, range), 1e-6)) * z);
  mu ~ normal(0, 1.5);
  amplitude ~ normal(0, 1.5);
  range ~ lognormal(0.7, 0.4);
  z ~ std_normal();
  frost ~ binomial_logit(10, mu + f);
}
