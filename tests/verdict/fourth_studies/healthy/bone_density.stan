// Change of bone density of adolescents by age, a Gaussian process: Hastie, Tibshirani and Friedman, The Elements of Statistical
// Learning (2009), section 5.4, on splines of these data; simulated.
data {
  int<lower=1> N;
  array[N] real age;
  vector[N] y;
}
parameters {
  real<lower=0> amplitude;
  real<lower=0> range;
  real<lower=0> sigma;
}
model {
  amplitude ~ normal(0, 2);
  range ~ inv_gamma(5, 10);
  sigma ~ normal(0, 1);
  y ~ multi_normal_cholesky(rep_vector(0, N),
                            cholesky_decompose(add_diag(gp_exp_quad_cov(age, amplitude, range), square(sigma))));
}
