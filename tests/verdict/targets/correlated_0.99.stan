transformed data {
  matrix[2, 2] C = add_diag(rep_matrix(0.99, 2, 2), 0.01);
  matrix[2, 2] L = cholesky_decompose(C);
}
parameters {
  vector[2] x;
}
model {
  x ~ multi_normal_cholesky(rep_vector(0, 2), L);
}
