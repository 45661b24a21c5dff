// Five years of monthly temperatures (seasons taken away) and their trend by the calendar year, which isn't centred, so that
// intercept and slope are all but one: Gelman and Hill, Data Analysis Using Regression (2007), section 4.2; simulated.
// expect: tree_depth alpha/beta
// may: alpha beta
data {
  int<lower=1> N;
  vector[N] year;
  vector[N] temperature;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5000);
  beta ~ normal(0, 5);
  sigma ~ normal(0, 2);
  temperature ~ normal(alpha + beta * year, sigma);
}
