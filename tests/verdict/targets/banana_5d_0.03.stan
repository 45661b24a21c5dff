parameters {
  real x;
  vector[4] y;
}
model {
  x ~ normal(0, 1);
  y ~ normal(x^2, 0.03);
}
