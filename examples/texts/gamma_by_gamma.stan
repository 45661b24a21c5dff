// Gamma(5.7, 2) by rejection from Gamma(5, 1), which lies above it when multiplied by C = 6.6549 and touches it at 0.7
// [murphy2023, 11.4.2]. What is drawn from is the prior; the ratio of both densities stands in the place of the likelihood:
//   credo sample examples/texts/gamma_by_gamma.stan --data examples/texts/gamma_by_gamma.json --sampler rejection -o gamma.nc
functions {
  real ratio_lpdf(real shape, real x) {
    return gamma_lpdf(x | shape, 2) - gamma_lpdf(x | 5, 1);
  }
}
data {
  real<lower=0> shape;
}
parameters {
  real<lower=0> x;
}
model {
  x ~ gamma(5, 1);
  target += ratio_lpdf(shape | x);
}
