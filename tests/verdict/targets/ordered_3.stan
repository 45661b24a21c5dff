parameters {
  ordered[3] x;
}
model {
  x ~ normal(0, 1);
}
