data {
  int<lower=1> N;
  array[N] int<lower=0, upper=1> y;
  vector[N] x;
}
parameters {
  real alpha, beta;
}
model {
  target += normal_lpdf(alpha | 0, 2);
  target += normal_lpdf(beta | 0, 2);
  target += bernoulli_logit_lpmf(y | alpha + beta * x);
}
