transformed data {
  real k = sum(identity_matrix(2000000000));
}
model {
}
