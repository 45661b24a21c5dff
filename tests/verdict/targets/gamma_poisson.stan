parameters {
  real<lower=0> rate;
}
model {
  rate ~ gamma(2, 1);
  {3, 5, 2, 4, 6} ~ poisson(rate);
}
