// Months until corrosion of pipes is seen, a Weibull distribution that begins at an onset which isn't known: Murthy, Xie and
// Jiang, Weibull Models (2004), chapter 3; simulated. The onset can't be after the first month seen, and its declaration doesn't
// say so.
// expect: missing_constraint onset
// may: shape scale
data {
  int<lower=1> N;
  vector<lower=0>[N] month;
}
parameters {
  real onset;
  real<lower=0> shape;
  real<lower=0> scale;
}
model {
  onset ~ normal(25, 10);
  shape ~ lognormal(0.5, 0.3);
  scale ~ normal(0, 100);
  month - onset ~ weibull(shape, scale);
}
