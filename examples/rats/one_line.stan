// The same rats, all on one line.
data {
  int<lower=0> N;
  vector[N] day;
  vector[N] weight;
}
transformed data {
  vector[N] week = (day - 22) / 7;
}
parameters {
  real level, growth;
  real<lower=0> sigma;
}
model {
  level ~ normal(250, 100);
  growth ~ normal(50, 50);
  sigma ~ normal(0, 50);
  weight ~ normal(level + growth * week, sigma);
}
