// A long narrow ridge: two coordinates of correlation rho. Chains that don't know where it leads diffuse along it: the root mean square
// of the distance that they move grows as the root of the number of steps; a Hamiltonian path goes straight on.
//   credo sample examples/texts/ridge.stan --data examples/texts/ridge.json --sampler adaptive_rejection -o gibbs.nc
//   credo sample examples/texts/ridge.stan --data examples/texts/ridge.json --sampler hmc_static --steps 16 -o paths.nc
//   credo summary gibbs.nc --autocorrelation
data {
  real<lower=0, upper=1> rho;
}
parameters {
  real x, y;
}
model {
  x ~ normal(0, 1);
  y ~ normal(rho * x, sqrt(1 - rho^2));
}
