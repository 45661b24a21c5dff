// Monthly cases of poliomyelitis, Poisson with a latent autoregression: Zeger, Biometrika 75 (1988); Chan and Ledolter, Journal of
// the American Statistical Association 90 (1995); simulated. Small counts say little of the scale that a hundred and twenty latent
// values share.
// expect: funnel sigma/h
// expect: low_energy_exchange
// expect: low_energy_exchange sigma
// may: sigma h phi lp__
data {
  int<lower=2> T;
  array[T] int<lower=0> cases;
}
parameters {
  real mu;
  real<lower=0, upper=1> phi;
  real<lower=0> sigma;
  vector[T] h;
}
model {
  mu ~ normal(0, 1);
  phi ~ beta(8, 3);
  sigma ~ normal(0, 0.5);
  h[1] ~ normal(0, sigma / sqrt(1 - square(phi)));
  h[2:T] ~ normal(phi * h[1:T - 1], sigma);
  cases ~ poisson_log(mu + h);
}
