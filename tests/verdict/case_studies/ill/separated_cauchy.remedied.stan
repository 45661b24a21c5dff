// Separated groups and a Cauchy prior for the coefficient, as Gelman et al. (2008) proposed; Ghosh, Li and Mitra (2018) show that
// its posterior has no mean then; simulated.
// Remedied: a normal prior.
data {
  int<lower=1> N;
  vector[N] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 2.5);
  y ~ bernoulli_logit(alpha + beta * x);
}
