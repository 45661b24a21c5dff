parameters {
  real<lower=0, upper=1> p;
}
model {
  0 ~ binomial(20, p);
}
