// Deaths by age, period and cohort, a trend for each: Clayton and Schifflers (1987); Congdon, Applied Bayesian Modelling,
// chapter 9; simulated. A cohort is a period less an age, so one of the trends is made of the others.
// expect: flat_direction by_age by_period by_cohort
data {
  int<lower=1> N;
  vector[N] age;
  vector[N] period;
  vector<lower=0>[N] million_years;
  array[N] int<lower=0> deaths;
}
parameters {
  real alpha;
  real by_age;
  real by_period;
  real by_cohort;
}
model {
  alpha ~ normal(0, 100);
  by_age ~ normal(0, 100);
  by_period ~ normal(0, 100);
  by_cohort ~ normal(0, 100);
  deaths ~ poisson_log(log(million_years) + alpha + by_age * age + by_period * period + by_cohort * (period - age));
}
