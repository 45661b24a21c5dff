// Infections after operations in thirty wards of few beds, a logistic regression with intercepts of the wards: after
// Spiegelhalter, Abrams and Myles, Bayesian Approaches to Clinical Trials (2004); simulated.
// expect: funnel sigma
// may: a
data {
  int<lower=1> J;
  array[J] int<lower=0> operations;
  array[J] int<lower=0> infections;
}
parameters {
  real mu;
  real<lower=0> sigma;
  vector[J] a;
}
model {
  mu ~ normal(-2, 1.5);
  sigma ~ exponential(1);
  a ~ normal(mu, sigma);
  infections ~ binomial_logit(operations, a);
}
generated quantities {
  vector[J] rate = inv_logit(a);
}
