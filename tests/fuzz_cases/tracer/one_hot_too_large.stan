transformed data {
  real k = sum(one_hot_vector(2147483647, 1));
}
model {
}
