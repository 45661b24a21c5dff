// Winning times of the Olympic 100 m: a smooth curve, by a Gaussian process, and times about it.
data {
  int<lower=0> N;
  array[N] real year;
  vector[N] seconds;
}
transformed data {
  real middle = 10.3;  // s, about which the curve lies before anything is known
  array[1] real next_year = {2028};
}
parameters {
  real<lower=0> amplitude;    // s
  real<lower=0> lengthscale;  // years over which the curve bends
  real<lower=0> sigma;        // s, of one final
}
transformed parameters {
  matrix[N, N] L = cholesky_decompose(
    add_diag(gp_exp_quad_cov(year, amplitude, lengthscale), square(sigma)));
}
model {
  amplitude ~ normal(0, 1);
  lengthscale ~ inv_gamma(5, 250);  // hardly below 20 years, or above 200
  sigma ~ normal(0, 0.5);
  seconds ~ multi_normal_cholesky(rep_vector(middle, N), L);
}
generated quantities {
  real next_time;  // of the final that follows: a draw given all the others
  {
    vector[N] k = gp_exp_quad_cov(year, next_year, amplitude, lengthscale)[, 1];
    vector[N] v = mdivide_left_tri_low(L, k);
    real mean_next = middle + dot_product(v, mdivide_left_tri_low(L, seconds - middle));
    next_time = normal_rng(mean_next, sqrt(square(amplitude) - dot_self(v) + square(sigma)));
  }
}
