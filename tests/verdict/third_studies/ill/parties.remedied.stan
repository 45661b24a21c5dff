// Votes for five parties in a poll, by a multinomial logit: Train, Discrete Choice Methods with Simulation (2009), section 2.5.
// Each party has a utility and none is fixed, but the votes know differences only. Remedied.
data {
  int<lower=2> K;
  array[K] int<lower=0> votes;
}
parameters {
  vector[K - 1] above_first;
}
transformed parameters {
  vector[K] utility = append_row(0, above_first);
}
model {
  above_first ~ normal(0, 10);
  votes ~ multinomial(softmax(utility));
}
generated quantities {
  vector[K] share = softmax(utility);
}
