// Robust regression with four degrees of freedom, and predictions with its tails.
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
  alpha ~ normal(0, 5);
  beta ~ normal(0, 5);
  sigma ~ normal(0, 2);
  y ~ student_t(4, alpha + beta * x, sigma);
}
generated quantities {
  real predicted = student_t_rng(4, alpha, sigma);
}
