// Two overlapping peaks of known width in a diffraction pattern: Sivia and Skilling, Data Analysis: A Bayesian Tutorial (2006),
// section 4.2 (how many lines are there?); simulated. Both peaks have the same priors, and their order wasn't declared. Remedied.
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] angle;
  vector[N] intensity;
}
parameters {
  ordered[2] centre;
  vector<lower=0>[2] height;
  real<lower=0> sigma;
}
model {
  centre ~ normal(5, 2);
  height ~ gamma(4, 1);
  sigma ~ normal(0, 1);
  intensity ~ normal(height[1] * exp(-0.5 * square((angle - centre[1]) / 0.8))
                     + height[2] * exp(-0.5 * square((angle - centre[2]) / 0.8)), sigma);
}
