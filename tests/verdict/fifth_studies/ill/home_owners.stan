// Whether a household owns its home by income, the linear probability model, and the log odds at an income of one: Wooldridge,
// Introductory Econometrics (2013), section 7.5; simulated. The line goes below zero, and the logarithm of a negative probability
// isn't a number.
// expect: missing_values log_odds
data {
  int<lower=1> N;
  vector[N] income;
  vector[N] owner;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  owner ~ normal(alpha + beta * income, sigma);
}
generated quantities {
  real log_odds = log(alpha + beta) - log1m(alpha + beta);  // here
}
