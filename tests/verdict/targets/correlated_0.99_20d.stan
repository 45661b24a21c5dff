transformed data {
  matrix[20, 20] C = add_diag(rep_matrix(0.99, 20, 20), 0.01);
  matrix[20, 20] L = cholesky_decompose(C);
}
parameters {
  vector[20] x;
}
model {
  x ~ multi_normal_cholesky(rep_vector(0, 20), L);
}
