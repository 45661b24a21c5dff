// Censored Weibull times; a ratio with a long tail among the outputs.
data {
  int<lower=1> N;
  vector<lower=0>[N] time;
  array[N] int<lower=0, upper=1> seen;
  vector[N] treated;
}
parameters {
  real<lower=0> shape;
  real alpha;
  real beta;
}
model {
  shape ~ gamma(4, 3);
  alpha ~ normal(1, 1);
  beta ~ normal(0, 1);
  for (i in 1:N) {
    if (seen[i] == 1)
      time[i] ~ weibull(shape, exp(alpha + beta * treated[i]));
    else
      target += weibull_lccdf(time[i] | shape, exp(alpha + beta * treated[i]));
  }
}
generated quantities {
  real ratio = exp(beta);
}
