parameters {
  real x;
}
model {
  target += log_mix(0.5, normal_lpdf(x | 0, 0.01), normal_lpdf(x | 0, 10));
}
