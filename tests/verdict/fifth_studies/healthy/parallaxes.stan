// Distances of stars from parallaxes under an exponentially thinning space density: Bailer-Jones, PASP 127 (2015); simulated. Accused: the reciprocal of a poorly measured parallax, which has tails without a mean; skewed distances near their bound.
data {
  int<lower=1> N;
  vector[N] parallax;
  vector<lower=0>[N] error;
  real<lower=0> thinning;
}
parameters {
  vector<lower=0>[N] distance;
}
model {
  target += 2 * sum(log(distance)) - sum(distance) / thinning;
  parallax ~ normal(1 / distance, error);
}
generated quantities {
  vector[N] modulus = 5 * log10(1000 * distance) - 5;
  real poor_parallax = normal_rng(1 / distance[N], 1.2);
  real naive_distance = 1 / poor_parallax;
  int negative = poor_parallax < 0;
}
