// Severe reactions to a contrast agent, none in eighteen patients, with Haldane's prior 1 / (p (1 - p)): Haldane, Proceedings of
// the Cambridge Philosophical Society 28 (1932); Jeffreys, Theory of Probability, section 3.1. Without a reaction the posterior
// isn't proper.
// expect: improper p
data {
  int<lower=1> patients;
  int<lower=0, upper=patients> reactions;
}
parameters {
  real<lower=0, upper=1> p;
}
model {
  target += -log(p) - log1m(p);
  reactions ~ binomial(patients, p);
}
