parameters {
  real x;
}
model {
  target += log_mix(0.5, normal_lpdf(x | -1, 0.05), normal_lpdf(x | 1, 0.05));
}
