// Failures of ten pumps of a power plant: Gaver and O'Muircheartaigh (1987); BUGS examples, volume 1, "Pumps".
data {
  int<lower=1> N;
  vector<lower=0>[N] hours;
  array[N] int<lower=0> failures;
}
parameters {
  real<lower=0> shape;
  real<lower=0> inverse_scale;
  vector<lower=0>[N] rate;
}
model {
  shape ~ exponential(1);
  inverse_scale ~ gamma(0.1, 1);
  rate ~ gamma(shape, inverse_scale);
  failures ~ poisson(rate .* hours);
}
generated quantities {
  vector[N] between_failures = inv(rate);
  array[N] int next_year = poisson_rng(8.76 * rate);
}
