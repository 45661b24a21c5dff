// Diameters of the zones that samples of penicillin clear on plates of bacteria, plates crossed with samples: Davies and
// Goldsmith, Statistical Methods in Research and Production (1972); simulated, with plates that hardly differ, and half of the
// cells. Remedied.
// sample: --adapt-delta 0.95
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
  vector[P] z;
  vector[S] z_batch;
  real<lower=0> sigma_plate;
  real<lower=0> sigma_batch;
  real<lower=0> sigma;
}
transformed parameters {
  vector[P] a = sigma_plate * z;
  vector[S] b = sigma_batch * z_batch;
}
model {
  mu ~ normal(23, 5);
  sigma_plate ~ normal(0, 1);
  sigma_batch ~ normal(0, 2);
  sigma ~ normal(0, 2);
  z ~ std_normal();
  z_batch ~ std_normal();
  diameter ~ normal(mu + a[plate] + b[batch], sigma);
}
