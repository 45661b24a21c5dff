// Distances of thirty near supernovae by redshift, with a Hubble constant uniform between 50 and 70 km/s/Mpc: Riess et al.,
// Astrophysical Journal 876 (2019); simulated, with 74. Remedied.
data {
  int<lower=1> N;
  vector[N] redshift;
  vector[N] modulus;
}
parameters {
  real<lower=50, upper=100> hubble;
  real<lower=0> scatter;
}
model {
  hubble ~ uniform(50, 100);
  scatter ~ normal(0, 0.3);
  modulus ~ normal(5 * log10(299792 * redshift / hubble) + 25, scatter);
}
