parameters {
  vector[5] x;
  vector[5] y;
}
model {
  x ~ normal(0, 1);
  y ~ normal(square(x), 0.05);
}
