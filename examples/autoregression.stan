// First-order autoregression, conditional on the first value.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real alpha;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  phi ~ uniform(-1, 1);
  sigma ~ normal(0, 2);
  y[2:T] ~ normal(alpha + phi * y[1:(T - 1)], sigma);
}
generated quantities {
  real next = normal_rng(alpha + phi * y[T], sigma);
}
