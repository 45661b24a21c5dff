parameters {
  vector[3] x;
}
model {
  target += log_mix(0.9, normal_lpdf(x | 0, 1), normal_lpdf(x | 12, 1));
}
