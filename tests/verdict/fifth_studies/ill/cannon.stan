// Elevation of a gun from the distances of eight shots with a known muzzle velocity: Tarantola, Inverse Problem Theory (2005), on
// problems with several solutions; simulated. A low and a high shot fall at the same place.
// expect: multimodal elevation
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] metres;
}
parameters {
  real<lower=0, upper=pi() / 2> elevation;
}
model {
  metres ~ normal(square(100) / 9.81 * sin(2 * elevation), 10);
}
