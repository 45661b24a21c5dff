// Eggs of turtles by the length of the shell, and an interval of 99 % that was asked of a hundred draws in all: Kery,
// Introduction to WinBUGS for Ecologists (2010), chapter 10; Vehtari et al., Bayesian Analysis 16 (2021), on effective sample
// sizes; simulated.
// sample: --chains 4 --draws 25
// expect: few_draws
// may: alpha beta predicted
// remedy: --chains 4 --draws 1000
data {
  int<lower=1> N;
  vector[N] length;
  array[N] int<lower=0> eggs;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(2, 1);
  beta ~ normal(0, 1);
  eggs ~ poisson_log(alpha + beta * length);
}
generated quantities {
  real predicted = exp(alpha + beta);
}
