parameters {
  real<lower=0> x;
}
model {
  x ~ gamma(0.1, 1);
}
