// A series of thirty years and its trend, whose second differences are all but zero, the trend's values as parameters: Hodrick and
// Prescott, Journal of Money, Credit and Banking 29 (1997); Harvey and Jaeger, Journal of Applied Econometrics 8 (1993);
// simulated. Neighbouring values are tied ten thousand times closer than the whole is known.
// expect: tree_depth trend
data {
  int<lower=3> T;
  vector[T] y;
}
parameters {
  vector[T] trend;
}
model {
  trend[3:T] - 2 * trend[2:T - 1] + trend[1:T - 2] ~ normal(0, 0.0003);
  y ~ normal(trend, 1.5);
}
