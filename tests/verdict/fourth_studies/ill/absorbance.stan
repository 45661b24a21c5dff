// Law of Beer and Lambert: absorbance is the product of absorptivity, path and concentration, of which all three are unknown:
// Skoog et al., Fundamentals of Analytical Chemistry (2014), chapter 24; simulated. Dilutions of one sample are known.
// expect: flat_direction absorptivity/path/concentration
// may: absorptivity path concentration
// level: note
data {
  int<lower=1> N;
  vector[N] dilution;
  vector[N] absorbance;
}
parameters {
  real<lower=0> absorptivity;
  real<lower=0> path;
  real<lower=0> concentration;
  real<lower=0> sigma;
}
model {
  absorptivity ~ lognormal(0, 2);
  path ~ lognormal(0, 2);
  concentration ~ lognormal(0, 2);
  sigma ~ normal(0, 0.1);
  absorbance ~ normal(absorptivity * path * concentration * dilution, sigma);
}
