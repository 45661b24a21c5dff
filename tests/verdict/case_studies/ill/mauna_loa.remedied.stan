// Carbon dioxide by year, a parabola in the year itself: Keeling's series, simulated; Weisberg, Applied Linear Regression, on
// centring. The coefficients are correlated by more than 0.99999.
// Remedied: the year centred and scaled.
data {
  int<lower=1> N;
  vector[N] year;
  vector[N] ppm;
}
transformed data {
  vector[N] x = (year - mean(year)) / 20;
}
parameters {
  real alpha;
  real beta;
  real gamma;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 1e6);
  beta ~ normal(0, 1e6);
  gamma ~ normal(0, 1e6);
  sigma ~ normal(0, 10);
  ppm ~ normal(alpha + beta * x + gamma * square(x), sigma);
}
