// Patients out of six whose blood pressure is controlled, in visits to 150 general practices, with intercepts of the practices
// that are given by standard normal ones: Goldstein, Multilevel Statistical Models (2011), chapter 4; simulated.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> practice;
  vector[N] staff;
  array[N] int<lower=0, upper=6> controlled;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> tau;
  vector[J] z;
}
model {
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 1);
  tau ~ normal(0, 1);
  z ~ std_normal();
  controlled ~ binomial_logit(6, alpha + beta * staff + tau * z[practice]);
}
generated quantities {
  real worst = inv_logit(alpha + tau * min(z));
}
