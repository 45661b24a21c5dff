// A recurrence: volatility of returns, one step a day.
data {
  int<lower=2> T;
  vector[T] y;
  real<lower=0> first_sd;
}
parameters {
  real mu;
  real<lower=0> base;
  real<lower=0, upper=1> shock;
  real<lower=0, upper=1 - shock> memory;
}
model {
  real variance = square(first_sd);
  mu ~ normal(0, 1);
  base ~ exponential(1);
  for (t in 2 : T) {
    variance = base + shock * square(y[t - 1] - mu) + memory * variance;
    y[t] ~ normal(mu, sqrt(variance));
  }
}
