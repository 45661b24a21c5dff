// Stars counted in an area of the sky, with a uniform prior of their density: a gamma distribution with a cut tail.
//   credo sample examples/texts/star_counts_uniform.stan --data examples/texts/star_counts.json
data {
  real<lower=0> area;
  int<lower=0> stars;
  real<lower=0> lowest;
  real<lower=lowest> highest;
}
parameters {
  real<lower=0, upper=highest> density;
}
model {
  density ~ uniform(0, highest);
  stars ~ poisson(area * density);
}
