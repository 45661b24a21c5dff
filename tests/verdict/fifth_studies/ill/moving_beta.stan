// Weekly returns of a share by those of the market, with a coefficient that walks at random, its values as parameters: West and
// Harrison, Bayesian Forecasting and Dynamic Models (1997), section 3; Petris, Petrone and Campagnoli, Dynamic Linear Models with
// R (2009); simulated. The steps are small, and a hundred and sixty values share their scale.
// expect: low_energy_exchange
// expect: low_energy_exchange step
// expect: funnel step/beta
// may: step beta lp__
data {
  int<lower=2> T;
  vector[T] market;
  vector[T] share;
}
parameters {
  real<lower=0> step;
  real<lower=0> sigma;
  vector[T] beta;
}
model {
  step ~ normal(0, 0.5);
  sigma ~ normal(0, 2);
  beta[1] ~ normal(1, 1);
  beta[2:T] ~ normal(beta[1:T - 1], step);
  share ~ normal(beta .* market, sigma);
}
