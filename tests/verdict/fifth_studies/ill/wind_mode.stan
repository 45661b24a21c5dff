// Speeds of gusty wind, a Weibull distribution, and the most frequent speed: Justus et al., Journal of Applied Meteorology 17
// (1978); Carta, Ramirez and Velazquez, Renewable and Sustainable Energy Reviews 13 (2009); simulated. With a shape below one the
// density has no such top, and a fractional power of a negative number isn't one.
// expect: missing_values most_frequent
data {
  int<lower=1> N;
  vector<lower=0>[N] speed;
}
parameters {
  real<lower=0> shape;
  real<lower=0> scale;
}
model {
  shape ~ lognormal(0.3, 0.5);
  scale ~ lognormal(1.5, 0.7);
  speed ~ weibull(shape, scale);
}
generated quantities {
  real most_frequent = scale * pow(1 - 1 / shape, 1 / shape);  // here
}
