parameters {
  real x;
}
model {
  target += normal_lpdf(x, 0, 1);
  target += fmax(x | 1);
  target += std_normal_lpdf(x);
}
// expect error: bar-expected 5:13
// expect error: bar-not-allowed 6:13
