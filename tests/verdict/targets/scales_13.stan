data {
  vector[13] s;
}
parameters {
  vector[13] x;
}
model {
  x ~ normal(0, s);
}
