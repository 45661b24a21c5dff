// Weekly returns of a share by those of the market, with a coefficient that walks at random, its values as parameters: West and
// Harrison, Bayesian Forecasting and Dynamic Models (1997), section 3; Petris, Petrone and Campagnoli, Dynamic Linear Models with
// R (2009); simulated. The steps are small, and a hundred and sixty values share their scale. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=2> T;
  vector[T] market;
  vector[T] share;
}
parameters {
  real<lower=0> step;
  real<lower=0> sigma;
  real first;
  vector[T - 1] z;
}
transformed parameters {
  vector[T] beta = first + append_row(0, cumulative_sum(step * z));
}
model {
  step ~ normal(0, 0.5);
  sigma ~ normal(0, 2);
  first ~ normal(1, 1);
  z ~ std_normal();
  share ~ normal(beta .* market, sigma);
}
