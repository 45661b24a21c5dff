data {
  matrix[80, 5] X;
  vector[80] y;
}
parameters {
  vector[5] beta;
}
model {
  beta ~ normal(0, 10);
  y ~ normal(X * beta, 1);
}
