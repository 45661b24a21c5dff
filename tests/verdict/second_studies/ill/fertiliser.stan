// Is there an effect of a fertiliser? A slope with a normal mixture as its prior, a spike of sd 0.01 and a slab: George and
// McCulloch, Journal of the American Statistical Association 88 (1993); simulated with an effect that is not certain. Chains
// that are in the spike don't leave it, others don't find it.
// expect: multimodal slope
// expect: divergences slope
// expect: missing_mass slope
// expect: not_mixed slope
// expect: stuck_chain slope
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
  target += log_mix(0.5, normal_lpdf(slope | 0, 0.01), normal_lpdf(slope | 0, 1));
  sigma ~ normal(0, 2);
  harvest ~ normal(level + slope * fertiliser, sigma);
}
