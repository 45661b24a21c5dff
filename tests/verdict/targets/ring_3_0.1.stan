parameters {
  real x;
  real y;
}
model {
  target += normal_lpdf(sqrt(x^2 + y^2) | 3, 0.1);
}
