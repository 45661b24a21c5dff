transformed data {
  int k = neg_binomial_2_rng(1e300, 1e-300);
}
model {
}
