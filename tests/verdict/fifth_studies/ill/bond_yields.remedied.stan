// Yields of bonds as an autoregression around a level with a flat prior: Schotman and van Dijk, Journal of Econometrics 49 (1991):
// as the coefficient goes to one nothing is known of the level, and the posterior isn't proper; simulated. Remedied: the
// intercept, at a usual level, as the parameter.
data {
  int<lower=2> T;
  vector[T] rate;
}
parameters {
  real intercept;
  real phi;
  real<lower=0> sigma;
}
model {
  intercept ~ normal(0, 0.5);
  phi ~ normal(0.8, 0.3);
  sigma ~ normal(0, 1);
  rate[2:T] ~ normal(6 + intercept + phi * (rate[1:T - 1] - 6), sigma);
}
