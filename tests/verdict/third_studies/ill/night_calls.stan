// Calls to a help line in a night, Poisson with a uniform prior from 0 to 10, a range somebody thought wide enough: Kruschke,
// Doing Bayesian Data Analysis (2015), chapter 24; simulated, with 13 calls a night.
// expect: at_bound rate
data {
  int<lower=1> N;
  array[N] int<lower=0> calls;
}
parameters {
  real<lower=0, upper=10> rate;
}
model {
  calls ~ poisson(rate);
}
