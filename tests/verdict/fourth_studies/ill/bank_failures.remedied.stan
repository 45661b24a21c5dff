// Whether banks failed, by the (standardised) share of bad loans, a logistic regression without priors; above some share all
// failed and below none: Albert and Anderson, Biometrika 71 (1984); simulated. The steeper the better, without end. Remedied.
data {
  int<lower=1> N;
  vector[N] bad_loans;
  array[N] int<lower=0, upper=1> failed;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 2.5);
  beta ~ normal(0, 2.5);
  failed ~ bernoulli_logit(alpha + beta * bad_loans);
}
