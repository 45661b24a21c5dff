// Putts made by distance, from the geometry of the hole: Berry, Statistics: A Bayesian Perspective; Gelman and Nolan (2002);
// Gelman's case study for Stan.
data {
  int<lower=1> K;
  vector<lower=0>[K] feet;
  array[K] int<lower=1> tries;
  array[K] int<lower=0> made;
}
transformed data {
  real ball = 1.68 / 24;
  real hole = 4.25 / 24;
}
parameters {
  real<lower=0> sd_angle;
}
model {
  sd_angle ~ normal(0, 0.5);
  made ~ binomial(tries, 2 * Phi(asin((hole - ball) ./ feet) / sd_angle) - 1);
}
generated quantities {
  real degrees = sd_angle * 180 / pi();
  vector[K] log_lik;
  for (k in 1:K) {
    log_lik[k] = binomial_lpmf(made[k] | tries[k], 2 * Phi(asin((hole - ball) / feet[k]) / sd_angle) - 1);
  }
}
