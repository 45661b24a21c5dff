// Stars counted in an area of the sky. The prior of their density is uniform in its logarithm, between two bounds.
//   credo sample examples/texts/star_counts_log_uniform.stan --data examples/texts/star_counts.json
data {
  real<lower=0> area;
  int<lower=0> stars;
  real<lower=0> lowest;
  real<lower=lowest> highest;
}
parameters {
  real<lower=log(lowest), upper=log(highest)> log_density;
}
transformed parameters {
  real density = exp(log_density);
}
model {
  log_density ~ uniform(log(lowest), log(highest));
  stars ~ poisson(area * density);
}
