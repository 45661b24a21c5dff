parameters {
  real x;
  real y;
}
model {
  target += log_mix(0.5, normal_lpdf(x | 0, 1) + normal_lpdf(y | 0, 0.05), normal_lpdf(x | 0, 0.05) + normal_lpdf(y | 0, 1));
}
