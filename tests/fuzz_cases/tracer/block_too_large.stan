transformed data {
  real k = sum(block(rep_matrix(1, 3, 3), 1, 1, 2147483647, 2147483647));
}
model {
}
