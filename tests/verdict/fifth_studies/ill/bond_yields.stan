// Yields of bonds as an autoregression around a level with a flat prior: Schotman and van Dijk, Journal of Econometrics 49 (1991):
// as the coefficient goes to one nothing is known of the level, and the posterior isn't proper; simulated.
// expect: improper level/phi
// expect: heavy_tails level/phi
// may: level phi sigma
data {
  int<lower=2> T;
  vector[T] rate;
}
parameters {
  real level;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 1);
  rate[2:T] ~ normal(level + phi * (rate[1:T - 1] - level), sigma);
}
