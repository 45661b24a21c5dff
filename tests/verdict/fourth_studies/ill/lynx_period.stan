// Period of the cycle in catches of lynx, from an autoregression of order two: Chatfield, The Analysis of Time Series (2003),
// section 3.4; simulated. With some coefficients there is no cycle, and its period isn't a number.
// expect: missing_values period
data {
  int<lower=3> T;
  vector[T] y;
}
parameters {
  real phi1;
  real phi2;
  real<lower=0> sigma;
}
model {
  phi1 ~ normal(0, 1);
  phi2 ~ normal(0, 1);
  sigma ~ normal(0, 1);
  y[3:T] ~ normal(phi1 * y[2:T - 1] + phi2 * y[1:T - 2], sigma);
}
generated quantities {
  real period = 2 * pi() / acos(phi1 / (2 * sqrt(-phi2))); // here
}
