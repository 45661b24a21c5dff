parameters {
  real<lower=0, upper=1> p;
}
model {
  p ~ beta(2, 3);
  7 ~ binomial(20, p);
}
