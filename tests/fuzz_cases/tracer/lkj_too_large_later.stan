parameters {
  real x;
}
model {
  x ~ normal(0, 1);
}
generated quantities {
  matrix[1, 1] k = lkj_corr_rng(2147483647, 1);
}
