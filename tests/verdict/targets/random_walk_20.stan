parameters {
  vector[20] x;
}
model {
  x[1] ~ normal(0, 1);
  x[2:20] ~ normal(x[1:19], 1);
}
