// Pilots at simulators of several airports and treatments: Gelman and Hill, Data Analysis Using Regression, sections 13.5 and
// 19.4, simulated. With priors as wide as these the sum of an intercept, rows and columns tells its parts apart by nothing.
// expect: flat_direction mu/row/column
// may: mu row column
data {
  int<lower=1> N;
  int<lower=1> R;
  int<lower=1> C;
  array[N] int<lower=1, upper=R> r;
  array[N] int<lower=1, upper=C> c;
  vector[N] success;
}
parameters {
  real mu;
  vector[R] row;
  vector[C] column;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 100);
  row ~ normal(0, 100);
  column ~ normal(0, 100);
  sigma ~ normal(0, 2);
  success ~ normal(mu + row[r] + column[c], sigma);
}
