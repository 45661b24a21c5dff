// Cost and effect of two treatments and the ratio of their differences, of which the denominator may be near zero: O'Hagan and
// Stevens, Medical Decision Making 22 (2002); simulated. The ratio has tails without a mean, as it should.
data {
  int<lower=1> N;
  array[2] vector[N] cost;
  array[2] vector[N] effect;
}
parameters {
  vector[2] mean_cost;
  vector[2] mean_effect;
  vector<lower=0>[2] sd_cost;
  real<lower=0> sd_effect;
}
model {
  mean_cost ~ normal(5, 5);
  mean_effect ~ normal(0, 2);
  sd_cost ~ normal(0, 3);
  sd_effect ~ normal(0, 2);
  for (k in 1:2) {
    cost[k] ~ normal(mean_cost[k], sd_cost[k]);
    effect[k] ~ normal(mean_effect[k], sd_effect);
  }
}
generated quantities {
  real ratio = (mean_cost[2] - mean_cost[1]) / (mean_effect[2] - mean_effect[1]);
  real net_benefit = 20 * (mean_effect[2] - mean_effect[1]) - (mean_cost[2] - mean_cost[1]);
  int worth_it = net_benefit > 0;
}
