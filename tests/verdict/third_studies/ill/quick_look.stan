// Reaction times by dose of caffeine, a robust regression, run for ten draws a chain to have a look: after Kruschke, Doing
// Bayesian Data Analysis (2015), chapter 17; simulated.
// expect: few_draws
// may: alpha beta sigma nu
// sample: --draws 10
// remedy: --draws 1000
data {
  int<lower=1> N;
  vector[N] dose;
  vector[N] reaction;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 2);
  nu ~ gamma(2, 0.1);
  reaction ~ student_t(nu, alpha + beta * dose, sigma);
}
