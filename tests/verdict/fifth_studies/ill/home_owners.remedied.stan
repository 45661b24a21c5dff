// Whether a household owns its home by income, the linear probability model, and the log odds at an income of one: Wooldridge,
// Introductory Econometrics (2013), section 7.5; simulated. The line goes below zero, and the logarithm of a negative probability
// isn't a number. Remedied: logistic regression.
data {
  int<lower=1> N;
  vector[N] income;
  array[N] int<lower=0, upper=1> owner;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 3);
  beta ~ normal(0, 1);
  owner ~ bernoulli_logit(alpha + beta * income);
}
generated quantities {
  real log_odds = alpha + beta;
}
