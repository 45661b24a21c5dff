parameters {
  cholesky_factor_corr[4] L;
}
model {
  L ~ lkj_corr_cholesky(1);
}
generated quantities {
  matrix[4, 4] R = multiply_lower_tri_self_transpose(L);
}
