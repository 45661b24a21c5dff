parameters {
  vector[10] x;
}
model {
  target += log_mix(0.5, normal_lpdf(x | 0, 0.1), normal_lpdf(x | 0, 1));
}
