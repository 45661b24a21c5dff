// Height of the ramus of the jaw of twenty boys at four ages, a line with an unstructured covariance: Elston and Grizzle,
// Biometrics 18 (1962); BUGS examples, volume 2, "Jaws"; simulated.
data {
  int<lower=1> N;
  array[N] vector[4] height;
}
parameters {
  real<offset=50, multiplier=1> alpha;
  real beta;
  vector<lower=0>[4] sigma;
  cholesky_factor_corr[4] L;
}
model {
  alpha ~ normal(50, 5);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 4);
  L ~ lkj_corr_cholesky(1);
  height ~ multi_normal_cholesky(alpha + beta * [-1.5, -0.5, 0.5, 1.5]', diag_pre_multiply(sigma, L));
}
generated quantities {
  corr_matrix[4] R = multiply_lower_tri_self_transpose(L);
  real determinant = prod(square(diagonal(L)));
}
