// A logistic regression whose outcomes a threshold of x separates: the likelihood alone rises for ever with the slope. sd = 0: no
// prior; else normal(0, sd), which knows that slopes are of the order of sd.
//   credo optimize examples/texts/separated.stan --data examples/texts/separated.json
data {
  int<lower=0> N;
  vector[N] x;
  array[N] int<lower=0, upper=1> y;
  real<lower=0> sd;
}
parameters {
  real slope;
}
model {
  if (sd > 0) slope ~ normal(0, sd);
  y ~ bernoulli_logit(slope * x);
}
