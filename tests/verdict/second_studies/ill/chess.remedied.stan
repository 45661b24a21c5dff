// Games of chess between eight players, paired comparisons with flat priors: Bradley and Terry, Biometrika 39 (1952); Stan
// User's Guide; simulated. A constant added to all abilities changes nothing. Remedied.
data {
  int<lower=1> N;
  int<lower=2> J;
  array[N] int<lower=1, upper=J> first;
  array[N] int<lower=1, upper=J> second;
  array[N] int<lower=0, upper=1> won;
}
parameters {
  vector[J] ability;
}
model {
  ability ~ normal(0, 1);
  won ~ bernoulli_logit(ability[first] - ability[second]);
}
