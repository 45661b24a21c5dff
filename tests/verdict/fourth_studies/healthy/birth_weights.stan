// Lower decile of the weight of babies by weeks beyond the thirty-sixth, by the asymmetric Laplace distribution: Yu and Moyeed,
// Statistics and Probability Letters 54 (2001); Koenker and Hallock, Journal of Economic Perspectives 15 (2001); simulated.
data {
  int<lower=1> N;
  vector[N] week;
  vector[N] kilogram;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(3, 1);
  beta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  kilogram ~ skew_double_exponential(alpha + beta * week, 2 * sigma, 0.1);
}
