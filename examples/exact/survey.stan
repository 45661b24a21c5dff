// Stars by square degree from counts in surveyed areas, with a gamma prior.
data {
  int<lower=1> N;
  array[N] int<lower=0> stars;
  vector<lower=0>[N] area; // square degrees
}
parameters {
  real<lower=0> density;
}
model {
  density ~ gamma(3, 0.5);
  stars ~ poisson(density * area);
}
