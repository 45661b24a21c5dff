parameters {
  vector[20] x;
}
model {
  x ~ normal(0, 1);
}
