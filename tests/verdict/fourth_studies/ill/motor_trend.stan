// Miles per gallon of cars by weight: Henderson and Velleman, Biometrics 37 (1981); run for twelve draws a chain to have a look.
// expect: few_draws
// may: alpha beta sigma
// sample: --draws 12
// remedy: --draws 1000
data {
  int<lower=1> N;
  vector[N] weight;
  vector[N] miles;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(20, 10);
  beta ~ normal(0, 10);
  sigma ~ normal(0, 5);
  miles ~ normal(alpha + beta * (weight - mean(weight)), sigma);
}
