// Sites that a species occupies or not, and visits that may miss it there [mackenzie2002].
data {
  int<lower=0> N; // sites
  int<lower=1> J; // visits
  vector[N] forest;
  matrix[N, J] effort;
  array[N, J] int<lower=0, upper=1> seen;
}
parameters {
  vector[2] occupancy; // intercept and slope on the logit scale
  vector[2] detection;
  array[N] int<lower=0, upper=1> occupied;
}
model {
  occupancy ~ normal(0, 1.5);
  detection ~ normal(0, 1.5);
  occupied ~ bernoulli_logit(occupancy[1] + occupancy[2] * forest);
  for (n in 1:N) {
    for (j in 1:J) {
      seen[n, j] ~ bernoulli(occupied[n] * inv_logit(detection[1] + detection[2] * effort[n, j]));
    }
  }
}
