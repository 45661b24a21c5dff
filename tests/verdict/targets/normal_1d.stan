parameters {
  vector[1] x;
}
model {
  x ~ normal(0, 1);
}
