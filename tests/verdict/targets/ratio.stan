parameters {
  real x;
  real y;
}
transformed parameters {
  real g = x / y;
}
model {
  x ~ normal(0, 1);
  y ~ normal(0, 1);
}
