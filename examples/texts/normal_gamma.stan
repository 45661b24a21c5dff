// Mean and precision of normal outcomes with their conjugate prior, which variational Bayes takes apart (murphy2023, section 10.2.3).
data {
  int<lower=1> N;
  vector[N] x;
}
parameters {
  real mu;
  real<lower=0> lambda;
}
model {
  lambda ~ gamma(2, 1);
  mu ~ normal(0.5, inv_sqrt(0.5 * lambda));
  x ~ normal(mu, inv_sqrt(lambda));
}
