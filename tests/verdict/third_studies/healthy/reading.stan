// Shares of words that children read rightly, by intelligence, beta regression: Smithson and Verkuilen, Psychological Methods 11
// (2006); simulated.
data {
  int<lower=1> N;
  vector[N] iq;
  vector<lower=0, upper=1>[N] right;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> phi;
}
model {
  vector[N] mu = inv_logit(alpha + beta * iq);
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 1);
  phi ~ gamma(2, 0.1);
  right ~ beta_proportion(mu, phi);
}
generated quantities {
  real brightest = beta_proportion_rng(inv_logit(alpha + 3 * beta), phi);
}
