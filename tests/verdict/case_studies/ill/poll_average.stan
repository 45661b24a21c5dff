// Support for a party in forty polls, a random walk with centred steps: Jackman (2005), Bayesian Analysis for the Social
// Sciences, chapter 9; simulated. The walk hardly moves, and the polls are few and uncertain.
// expect: funnel sd_step
// may: support
data {
  int<lower=2> T;
  vector[T] poll;
  real<lower=0> se;
}
parameters {
  vector[T] support;
  real<lower=0> sd_step;
}
model {
  sd_step ~ normal(0, 0.5);
  support[1] ~ normal(0, 1);
  support[2:T] ~ normal(support[1:T - 1], sd_step);
  poll ~ normal(support, se);
}
