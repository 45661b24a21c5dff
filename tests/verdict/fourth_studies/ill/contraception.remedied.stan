// Whether women use contraception, by town or village, with intercepts of forty districts, a logistic regression: Huq and
// Cleland, Bangladesh Fertility Survey (1990); Rabe-Hesketh and Skrondal, Multilevel and Longitudinal Modeling (2012); simulated.
// Few women a district, and districts are much alike. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  int<lower=1> D;
  array[N] int<lower=1, upper=D> district;
  vector[N] urban;
  array[N] int<lower=0, upper=1> uses;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sd_district;
  vector[D] z;
}
transformed parameters {
  vector[D] u = sd_district * z;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  sd_district ~ normal(0, 1);
  z ~ std_normal();
  uses ~ bernoulli_logit(alpha + beta * urban + u[district]);
}
