// Law of Beer and Lambert: absorbance is the product of absorptivity, path and concentration, of which all three are unknown:
// Skoog et al., Fundamentals of Analytical Chemistry (2014), chapter 24; simulated. Dilutions of one sample are known. Remedied.
data {
  int<lower=1> N;
  vector[N] dilution;
  vector[N] absorbance;
}
parameters {
  real<lower=0> product;
  real<lower=0> sigma;
}
model {
  product ~ lognormal(0, 2);
  sigma ~ normal(0, 0.1);
  absorbance ~ normal(product * dilution, sigma);
}
