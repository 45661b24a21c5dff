// Radial velocity of a star with a planet of unknown period: Gregory (2005); Bretthorst, Bayesian Spectrum Analysis and Parameter
// Estimation; simulated. With one look a night the
// likelihood has a mode at every alias of the frequency.
// Remedied: the frequency known from another series.
data {
  int<lower=1> N;
  vector[N] day;
  vector[N] velocity;
}
parameters {
  real<lower=0.70, upper=0.76> frequency;
  real a;
  real b;
  real<lower=0> sigma;
}
model {
  frequency ~ normal(0.73, 0.005);
  a ~ normal(0, 5);
  b ~ normal(0, 5);
  sigma ~ normal(0, 5);
  velocity ~ normal(a * sin(2 * pi() * frequency * day) + b * cos(2 * pi() * frequency * day), sigma);
}
