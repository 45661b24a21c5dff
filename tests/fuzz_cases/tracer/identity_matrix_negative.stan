transformed data {
  real k = sum(identity_matrix(-2));
}
model {
}
