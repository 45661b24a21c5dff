parameters {
  vector[30] x;
}
model {
  x[1] ~ normal(0, 1 / sqrt(0.75));
  x[2:30] ~ normal(0.5 * x[1:29], 1);
}
