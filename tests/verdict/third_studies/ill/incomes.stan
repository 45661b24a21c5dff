// Incomes above a threshold that isn't known, a Pareto distribution: Arnold and Press, Journal of Econometrics 21 (1983);
// simulated. The threshold is at most the smallest income, and its declaration doesn't say so.
// expect: missing_constraint threshold
data {
  int<lower=1> N;
  vector<lower=0>[N] income;
}
parameters {
  real<lower=0> threshold;
  real<lower=0> shape;
}
model {
  threshold ~ normal(20, 10);
  shape ~ gamma(2, 1);
  income ~ pareto(threshold, shape);
}
