// Survival of pups in litters, the spread of litters on the log scale: a hierarchy centred by habit.
// expect: funnel log_sigma
// may: alpha b
data {
  int<lower=1> G;
  array[G] int<lower=0> n;
  array[G] int<lower=0> survived;
}
parameters {
  real b;
  real log_sigma;  // here
  vector[G] alpha;
}
model {
  b ~ normal(0, 1.5);
  log_sigma ~ normal(-1, 1.5);  // here
  alpha ~ normal(b, exp(log_sigma));  // here
  survived ~ binomial_logit(n, alpha);
}
