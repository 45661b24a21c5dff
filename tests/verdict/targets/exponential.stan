parameters {
  real<lower=0> x;
}
model {
  x ~ exponential(1);
}
