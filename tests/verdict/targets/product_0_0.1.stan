parameters {
  real a;
  real b;
}
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  target += normal_lpdf(0 | a * b, 0.1);
}
