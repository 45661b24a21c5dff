// An effect that can't be negative by theory, estimated near zero.
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real alpha;
  real<lower=0> beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 1) T[0, ];
  sigma ~ normal(0, 2);
  y ~ normal(alpha + beta * x, sigma);
}
