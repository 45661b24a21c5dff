// A share and its beta prior: with few outcomes the posterior is the prior's, with many the data's.
//   credo sensitivity fit.nc
data {
  int<lower=0> n;
  int<lower=0> y;
  real<lower=0> a, b;
}
parameters {
  real<lower=0, upper=1> share;
}
model {
  share ~ beta(a, b);
  y ~ binomial(n, share);
}
