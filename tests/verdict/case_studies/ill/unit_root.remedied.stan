// Unemployment as a stationary autoregression of first order with the exact density of its first value: Box and Jenkins, Time
// Series Analysis, chapter 7; Congdon, Bayesian Statistical Modelling, chapter 8; simulated. The coefficient has no bounds.
// Remedied: the bounds of a stationary series.
// sample: --adapt-delta 0.95
data {
  int<lower=2> T;
  vector[T] rate;
}
parameters {
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
model {
  sigma ~ normal(0, 2);
  rate[1] ~ normal(0, sigma / sqrt(1 - square(phi)));
  rate[2:T] ~ normal(phi * rate[1:T - 1], sigma);
}
