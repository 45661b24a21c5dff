// Carbon dioxide by year, a parabola in the year itself: Keeling's series, simulated; Weisberg, Applied Linear Regression, on
// centring. The coefficients are correlated by more than 0.99999.
// expect: tree_depth alpha/beta/gamma
// may: alpha beta gamma sigma
data {
  int<lower=1> N;
  vector[N] year;
  vector[N] ppm;
}
transformed data {
  vector[N] x = year / 1000;
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
