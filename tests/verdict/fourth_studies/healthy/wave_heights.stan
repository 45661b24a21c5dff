// Heights of waves above a threshold, generalised Pareto, with a small positive shape: Coles, An Introduction to Statistical
// Modeling of Extreme Values (2001), section 4.3; simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] excess;
  real<lower=0> a_year;
}
parameters {
  real<lower=0> scale;
  real<lower=-scale / max(excess)> shape;
}
model {
  scale ~ lognormal(0, 1);
  shape ~ normal(0, 0.3);
  target += -N * log(scale) - (1 + 1 / shape) * sum(log1p(shape * excess / scale));
}
generated quantities {
  real wave_of_century = scale / shape * expm1(shape * log(100 * a_year));
}
