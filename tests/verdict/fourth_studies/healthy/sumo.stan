// Bouts of sumo between eight wrestlers, whose strengths sum to zero: Bradley and Terry, Biometrika 39 (1952); simulated.
data {
  int<lower=1> N;
  int<lower=2> K;
  array[N] int<lower=1, upper=K> east;
  array[N] int<lower=1, upper=K> west;
  array[N] int<lower=0, upper=1> east_wins;
}
parameters {
  sum_to_zero_vector[K] strength;
}
model {
  strength ~ normal(0, 1.5);
  east_wins ~ bernoulli_logit(strength[east] - strength[west]);
}
generated quantities {
  real chance = inv_logit(strength[1] - strength[2]);
}
