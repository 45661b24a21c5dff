// Effects that sum to zero beside an intercept, of twelve months.
data {
  int<lower=1> N;
  array[N] int<lower=1, upper=12> month;
  vector[N] y;
}
parameters {
  real mu;
  sum_to_zero_vector[12] effect;
  real<lower=0> spread;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 20);
  spread ~ normal(0, 5);
  effect ~ normal(0, spread);
  sigma ~ normal(0, 3);
  y ~ normal(mu + effect[month], sigma);
}
