parameters {
  real x;
}
model {
  target += log_mix(0.3, normal_lpdf(x | -1, 1), normal_lpdf(x | 1, 2));
}
