parameters {
  real<lower=0, upper=1> x;
}
model {
  x ~ uniform(0, 1);
}
