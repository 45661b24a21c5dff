// An autoregression of first order.
data { int T; vector[T] y; }
parameters { real a; real<lower=-1, upper=1> phi; real<lower=0> sigma; }
model {
  a ~ normal(0, 1);
  phi ~ normal(0.5, 0.25);
  sigma ~ lognormal(0, 0.3);
  y[1] ~ normal(a, 2 * sigma);
  for (t in 2:T) y[t] ~ normal(a + phi * y[t - 1], sigma);
}
