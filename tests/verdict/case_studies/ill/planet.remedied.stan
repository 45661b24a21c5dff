// A planet's motion and the starts of its chains: Magnusson, Gelman and Weber's case study of planetary motion for Stan (Gelman et
// al., Bayesian Workflow, 2020); simulated as one coordinate. Starts far from the frequency end in side lobes without mass.
// Remedied: starts near the peak of the periodogram.
data {
  int<lower=1> N;
  vector[N] time;
  vector[N] x;
  real<lower=0> sigma;
}
parameters {
  real<offset=0.137, multiplier=0.001> frequency;
  real a;
  real b;
}
model {
  frequency ~ normal(0.137, 0.02);
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  x ~ normal(a * sin(2 * pi() * frequency * time) + b * cos(2 * pi() * frequency * time), sigma);
}
