// Temperature along a rod, a Gaussian process with an inverse gamma prior of the length scale: Betancourt, Robust Gaussian
// Process Modeling (2020); simulated.
data {
  int<lower=1> N;
  array[N] real x;
  vector[N] y;
  int<lower=1> M;
  array[M] real x_new;
}
parameters {
  real<lower=0> rho;
  real<lower=0> alpha;
  real<lower=0> sigma;
}
model {
  matrix[N, N] L = cholesky_decompose(add_diag(gp_exp_quad_cov(x, alpha, rho), square(sigma)));
  rho ~ inv_gamma(5, 8);
  alpha ~ normal(0, 2);
  sigma ~ normal(0, 0.5);
  y ~ multi_normal_cholesky(rep_vector(0, N), L);
}
generated quantities {
  vector[M] f;
  {
    matrix[N, N] K = add_diag(gp_exp_quad_cov(x, alpha, rho), square(sigma));
    matrix[M, N] k = gp_exp_quad_cov(x_new, x, alpha, rho);
    f = k * mdivide_left_spd(K, y);
  }
}
