// A sound regression, stopped after fifteen draws.
// expect: few_draws
// may: alpha beta sigma lp__
// sample: --warmup 200 --draws 15
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, 5);
  sigma ~ normal(0, 5);
  y ~ normal(alpha + beta * x, sigma);
}
