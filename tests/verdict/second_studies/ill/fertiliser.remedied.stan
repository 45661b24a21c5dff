// Is there an effect of a fertiliser? A slope with a normal mixture as its prior, a spike of sd 0.01 and a slab: George and
// McCulloch, Journal of the American Statistical Association 88 (1993); simulated with an effect that is not certain. Chains
// that are in the spike don't leave it, others don't find it. Remedied.
data {
  int<lower=1> N;
  vector[N] fertiliser;
  vector[N] harvest;
}
parameters {
  real level;
  real slope;
  real<lower=0> sigma;
}
model {
  level ~ normal(0, 2);
  slope ~ double_exponential(0, 0.5);
  sigma ~ normal(0, 2);
  harvest ~ normal(level + slope * fertiliser, sigma);
}
