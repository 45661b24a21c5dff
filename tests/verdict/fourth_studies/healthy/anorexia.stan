// Weight of girls before and after three treatments of anorexia, analysis of covariance with different slopes: Hand et al., A
// Handbook of Small Data Sets (1994); simulated.
data {
  int<lower=1> N;
  array[N] int<lower=1, upper=3> treatment;
  vector[N] before;
  vector[N] after;
}
transformed data {
  vector[N] x = before - mean(before);
}
parameters {
  vector[3] level;
  vector[3] slope;
  real<lower=0> sigma;
}
model {
  level ~ normal(85, 10);
  slope ~ normal(0, 1);
  sigma ~ normal(0, 10);
  after ~ normal(level[treatment] + slope[treatment] .* x, sigma);
}
generated quantities {
  real gain_family = level[3] - level[1];
}
