// Scenarios of a day's returns of eighty shares, a multivariate t distribution with five degrees of freedom: McNeil, Frey and
// Embrechts, Quantitative Risk Management (2005), section 6.2; no data. All returns are large together, now and then.
// expect: low_energy_exchange
// expect: heavy_tails profit
// may: profit lp__
data {
  int<lower=1> K;
  real<lower=0> nu;
}
parameters {
  vector[K] profit;
}
model {
  target += -0.5 * (nu + K) * log1p(dot_self(profit) / nu);
}
