parameters {
  real x;
}
model {
  target += log_sum_exp({normal_lpdf(x | -6, 1), normal_lpdf(x | 0, 1), normal_lpdf(x | 6, 1)});
}
