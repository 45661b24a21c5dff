// A slope that had to be positive, it was thought; prices fall.
// expect: at_bound slope
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] price;
}
parameters {
  real level;
  real<lower=0> slope;  // here
  real<lower=0> sigma;
}
model {
  level ~ normal(0, 20);
  slope ~ normal(0, 5);  // here
  sigma ~ normal(0, 5);
  price ~ normal(level + slope * x, sigma);  // here
}
