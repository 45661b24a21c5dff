// A posterior without its likelihood: the mean of n outcomes is simulated, and held against the one that was seen, up to a
// tolerance. Along the path of smc the tolerance falls from infinity: power p of the last density is that of tolerance / sqrt(p)
// [murphy2023, 13.6.5]:
//   credo sample examples/texts/tolerance.stan --data examples/texts/tolerance.json --sampler smc -o tolerance.nc
data {
  int<lower=1> n;
  real seen;
  real<lower=0> tolerance;
}
parameters {
  real mu;
  real simulated;
}
model {
  mu ~ normal(0, 2);
  simulated ~ normal(mu, 1 / sqrt(n));
  seen ~ normal(simulated, tolerance);
}
