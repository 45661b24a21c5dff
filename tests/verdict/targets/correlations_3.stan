parameters {
  corr_matrix[3] R;
}
model {
  R ~ lkj_corr(2);
}
