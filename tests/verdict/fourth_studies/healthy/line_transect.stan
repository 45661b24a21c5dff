// Distances of wooden stakes from a line that people walk along, half-normal detection up to fifty metres: Burnham, Anderson and
// Laake, Wildlife Monographs 72 (1980); Buckland et al., Introduction to Distance Sampling (2001); simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] distance;
  real<lower=0> furthest;
  real<lower=0> walked;
}
parameters {
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 30);
  target += -0.5 * dot_self(distance / sigma) - N * log(sigma * sqrt(2 * pi()) * (Phi(furthest / sigma) - 0.5));
}
generated quantities {
  real width = sigma * sqrt(2 * pi()) * (Phi(furthest / sigma) - 0.5);
  real density = neg_binomial_2_rng(N, 1e6) / (2 * width * walked);
}
