// Radial velocity of a star with a planet of unknown period: Gregory (2005); Bretthorst, Bayesian Spectrum Analysis and Parameter
// Estimation; simulated. With one look a night the
// likelihood has a mode at every alias of the frequency.
// expect: multimodal frequency
// may: a b sigma
data {
  int<lower=1> N;
  vector[N] day;
  vector[N] velocity;
}
parameters {
  real<lower=0, upper=2> frequency;
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  sigma ~ normal(0, 5);
  velocity ~ normal(a * sin(2 * pi() * frequency * day) + b * cos(2 * pi() * frequency * day), sigma);
}
