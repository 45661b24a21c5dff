// A toxicity test in which every animal above a dose died and none below: no prior, so no posterior.
// expect: improper slope
// may: intercept
data {
  int<lower=1> N;
  vector[N] dose;
  array[N] int<lower=0, upper=1> died;
}
parameters {
  real intercept;  // here
  real slope;  // here
}
model {
  died ~ bernoulli_logit(intercept + slope * dose);  // here
}
