// Priors of D slopes of a logistic regression, seen as the share of positive outcomes: the more columns, the nearer to 0 or 1.
//   credo sample examples/texts/prior_share.stan --data examples/texts/prior_share.json --sampler exact
data {
  int<lower=1> N, D;
  real<lower=0> scale;
}
transformed data {
  matrix[N, D] x;
  for (n in 1 : N) for (d in 1 : D) x[n, d] = bernoulli_rng(0.8);
}
parameters {
  vector[D] beta;
}
model {
  beta ~ normal(0, scale);
}
generated quantities {
  real positive = mean(bernoulli_logit_rng(x * beta));
}
