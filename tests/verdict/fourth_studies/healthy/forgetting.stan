// Words still known after some seconds, a curve that falls exponentially to a rest: Rubin and Wenzel, Psychological Review 103
// (1996); Lee and Wagenmakers, Bayesian Cognitive Modeling (2013), chapter 10; simulated.
data {
  int<lower=1> T;
  vector[T] second;
  int<lower=1> n;
  array[T] int<lower=0, upper=n> known;
}
parameters {
  real<lower=0, upper=1> rest;
  real<lower=0> rate;
}
model {
  rest ~ beta(1, 1);
  rate ~ gamma(2, 10);
  known ~ binomial(n, rest + (1 - rest) * exp(-rate * second));
}
generated quantities {
  int known_next = binomial_rng(n, rest + (1 - rest) * exp(-rate * 30));
}
