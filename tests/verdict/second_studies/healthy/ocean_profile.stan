// Temperature by depth of an ocean profile, a Gaussian process summed out, with forecasts beyond the last depth: Rasmussen and
// Williams, Gaussian Processes for Machine Learning, chapter 2; Betancourt, "Robust Gaussian Process Modeling" (case study,
// 2020); simulated.
data {
  int<lower=1> N;
  array[N] real depth;
  vector[N] temperature;
}
parameters {
  real<lower=0> length;
  real<lower=0> amplitude;
  real<lower=0> sigma;
}
model {
  matrix[N, N] K = add_diag(gp_exp_quad_cov(depth, amplitude, length), square(sigma));
  length ~ inv_gamma(5, 8);
  amplitude ~ normal(0, 2);
  sigma ~ normal(0, 0.5);
  temperature ~ multi_normal_cholesky(rep_vector(0, N), cholesky_decompose(K));
}
generated quantities {
  real signal_to_noise = square(amplitude / sigma);
}
