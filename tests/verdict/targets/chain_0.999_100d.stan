parameters {
  vector[100] x;
}
model {
  x[1] ~ normal(0, 1);
  x[2:100] ~ normal(0.999 * x[1:99], sqrt(1 - 0.999^2));
}
