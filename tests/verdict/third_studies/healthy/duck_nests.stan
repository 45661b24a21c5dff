// Nests of ducks by their distance from a transect, half-normal detection, and their density: Buckland et al., Introduction to
// Distance Sampling (2001); simulated.
data {
  int<lower=1> N;
  real<lower=0> width;
  vector<lower=0, upper=width>[N] distance_seen;
  real<lower=0> length;
}
parameters {
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 5);
  distance_seen ~ normal(0, sigma);
  target += -N * log(normal_cdf(width | 0, sigma) - 0.5);
}
generated quantities {
  real strip = sigma * sqrt(2 * pi()) * (normal_cdf(width | 0, sigma) - 0.5);
  real density = N / (2 * strip * length);
  real beyond = 2 * (1 - normal_cdf(width | 0, sigma));
}
