// Distance from the pituitary to a cleft of the upper jaw of 27 children at four ages, each child with a line of its own:
// Potthoff and Roy, Biometrika 51 (1964); simulated. Levels differ among children, slopes hardly.
// expect: funnel sd_slope/slope
// may: sd_slope slope mean_slope
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> child;
  vector[N] age;
  vector[N] distance_mm;
}
parameters {
  real mean_level;
  real mean_slope;
  real<lower=0> sd_level;
  real<lower=0> sd_slope;
  real<lower=0> sigma;
  vector[J] level;
  vector[J] slope;
}
model {
  mean_level ~ normal(24, 5);
  mean_slope ~ normal(0, 2);
  sd_level ~ normal(0, 3);
  sd_slope ~ normal(0, 1);
  sigma ~ normal(0, 3);
  level ~ normal(mean_level, sd_level);
  slope ~ normal(mean_slope, sd_slope);
  distance_mm ~ normal(level[child] + slope[child] .* (age - 11), sigma);
}
