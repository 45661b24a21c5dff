parameters {
  vector[5] x;
}
model {
  x ~ normal(0, 1);
}
