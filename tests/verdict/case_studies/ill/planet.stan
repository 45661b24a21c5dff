// A planet's motion and the starts of its chains: Magnusson, Gelman and Weber's case study of planetary motion for Stan (Gelman et
// al., Bayesian Workflow, 2020); simulated as one coordinate. Starts far from the frequency end in side lobes without mass.
// sample: --chains 8
// expect: initial_values frequency
// expect: multimodal frequency
// expect: stuck_chain frequency
// may: a b
data {
  int<lower=1> N;
  vector[N] time;
  vector[N] x;
  real<lower=0> sigma;
}
parameters {
  real<lower=0, upper=0.5> frequency;
  real a;
  real b;
}
model {
  a ~ normal(0, 2);
  b ~ normal(0, 2);
  x ~ normal(a * sin(2 * pi() * frequency * time) + b * cos(2 * pi() * frequency * time), sigma);
}
