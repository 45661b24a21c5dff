// The same times about a straight line.
data {
  int<lower=0> N;
  vector[N] year;
  vector[N] seconds;
}
parameters {
  real level;  // s, in 1960
  real slope;  // s in a century
  real<lower=0> sigma;
}
model {
  level ~ normal(10.3, 0.5);
  slope ~ normal(0, 2);
  sigma ~ normal(0, 0.5);
  seconds ~ normal(level + slope * (year - 1960) / 100, sigma);
}
generated quantities {
  real next_time = normal_rng(level + slope * (2028 - 1960) / 100, sigma);
}
