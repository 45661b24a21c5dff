// Daily returns of a share, GARCH(1, 1): Bollerslev, Journal of Econometrics 31 (1986); simulated, with variances that hardly
// move. The coefficients are declared as any real numbers, and with negative ones the variance may be negative. Remedied.
// sample: --adapt-delta 0.98 --draws 2000
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=0> omega;
  real<lower=0, upper=1> alpha;
  real<lower=0, upper=1 - alpha> beta;
}
model {
  vector[T] variance;
  mu ~ normal(0, 1);
  omega ~ normal(0, 2);
  alpha ~ normal(0, 0.5);
  beta ~ normal(0, 0.5);
  variance[1] = 1;
  for (t in 2:T) {
    variance[t] = omega + alpha * square(y[t - 1] - mu) + beta * variance[t - 1];
  }
  y ~ normal(mu, sqrt(variance));
}
