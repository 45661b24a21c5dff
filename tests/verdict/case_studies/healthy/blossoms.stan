// First day of the cherry blossom over the years, a penalised cubic spline: Aono and Kazui (2008); McElreath, Statistical
// Rethinking, 2nd ed., section 4.5; Eilers and Marx (1996); simulated.
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] basis;
  vector[N] day;
}
parameters {
  vector[K] weight;
  real<lower=0> smooth;
  real<lower=0> sigma;
}
model {
  weight[1] ~ normal(105, 10);
  weight[2:K] ~ normal(weight[1:K - 1], smooth);
  smooth ~ gamma(2, 1);
  sigma ~ normal(0, 5);
  day ~ normal(basis * weight, sigma);
}
generated quantities {
  vector[N] fitted = basis * weight;
}
