parameters {
  real<lower=10> x;
}
model {
  x ~ normal(0, 1);
}
