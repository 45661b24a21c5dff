// Diameters of the zones that samples of penicillin clear on plates of bacteria, plates crossed with samples: Davies and
// Goldsmith, Statistical Methods in Research and Production (1972); simulated, with plates that hardly differ, and half of the
// cells.
// expect: funnel sigma_plate/a
// may: sigma_plate a
data {
  int<lower=1> N;
  int<lower=1> P;
  int<lower=1> S;
  array[N] int<lower=1, upper=P> plate;
  array[N] int<lower=1, upper=S> batch;
  vector[N] diameter;
}
parameters {
  real mu;
  vector[P] a;
  vector[S] b;
  real<lower=0> sigma_plate;
  real<lower=0> sigma_batch;
  real<lower=0> sigma;
}
model {
  mu ~ normal(23, 5);
  sigma_plate ~ normal(0, 1);
  sigma_batch ~ normal(0, 2);
  sigma ~ normal(0, 2);
  a ~ normal(0, sigma_plate);
  b ~ normal(0, sigma_batch);
  diameter ~ normal(mu + a[plate] + b[batch], sigma);
}
