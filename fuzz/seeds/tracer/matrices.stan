transformed data {
  int N = 2;
  matrix[2, 2] A = [[2, 0.5], [0.5, 1]];
}
parameters {
  real x;
  real y;
  vector[2] v;
  cholesky_factor_corr[3] L;
  simplex[3] s;
  cov_matrix[2] S;
  array[2] ordered[2] o;
}
model {
  int i = 1;
  matrix[2, 2] B = A * exp(x);
  v ~ multi_normal(rep_vector(y, 2), B);
  L ~ lkj_corr_cholesky(2);
  s ~ dirichlet([1, 2, 3]');
  S ~ wishart(4, A);
  target += log_determinant(B) + sum(B \ v) + o[2, 1];
  target += dot_product(v, o[1]) + sum(cholesky_decompose(B));
  x ~ normal(0, 1) T[-1, 2];
}
