// Support for a party in forty polls, a random walk with centred steps: Jackman (2005), Bayesian Analysis for the Social
// Sciences, chapter 9; simulated. The walk hardly moves, and the polls are few and uncertain.
// Remedied: steps that are not centred.
// sample: --adapt-delta 0.99
data {
  int<lower=2> T;
  vector[T] poll;
  real<lower=0> se;
}
parameters {
  real start;
  vector[T - 1] step;
  real<lower=0> sd_step;
}
transformed parameters {
  vector[T] support = start + append_row(0, sd_step * cumulative_sum(step));
}
model {
  sd_step ~ normal(0, 0.5);
  start ~ normal(0, 1);
  step ~ std_normal();
  poll ~ normal(support, se);
}
