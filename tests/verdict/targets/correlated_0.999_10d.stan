transformed data {
  matrix[10, 10] C = add_diag(rep_matrix(0.999, 10, 10), 0.001);
  matrix[10, 10] L = cholesky_decompose(C);
}
parameters {
  vector[10] x;
}
model {
  x ~ multi_normal_cholesky(rep_vector(0, 10), L);
}
