// Votes for five parties in a poll, by a multinomial logit: Train, Discrete Choice Methods with Simulation (2009), section 2.5.
// Each party has a utility and none is fixed, but the votes know differences only.
// expect: flat_direction utility
data {
  int<lower=2> K;
  array[K] int<lower=0> votes;
}
parameters {
  vector[K] utility;
}
model {
  utility ~ normal(0, 100);
  votes ~ multinomial(softmax(utility));
}
generated quantities {
  vector[K] share = softmax(utility);
}
