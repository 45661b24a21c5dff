// Two weighings of one object, with the reference prior of its scale: the mean has one degree of freedom.
// expect: heavy_tails weight/sigma
// may: weight sigma
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real weight;  // here
  real<lower=0> sigma;  // here
}
model {
  target += -log(sigma);  // here
  y ~ normal(weight, sigma);  // here
}
