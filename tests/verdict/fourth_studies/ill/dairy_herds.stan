// Milk of cows by feed, herds with intercepts of their own, drawn by a random walk of three hundred steps: Mrode, Linear Models
// for the Prediction of Animal Breeding Values (2014); simulated.
// expect: not_mixed
// expect: few_draws
// expect: stuck_chain
// may: mu beta z between sigma
// sample: --sampler rwm --warmup 300 --draws 300
// remedy: --sampler nuts --adapt-delta 0.95
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> herd;
  vector[N] feed;
  vector[N] milk;
}
parameters {
  real mu;
  real beta;
  vector[J] z;
  real<lower=0> between;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  beta ~ normal(0, 2);
  z ~ std_normal();
  between ~ normal(0, 2);
  sigma ~ normal(0, 2);
  milk ~ normal(mu + between * z[herd] + beta * feed, sigma);
}
