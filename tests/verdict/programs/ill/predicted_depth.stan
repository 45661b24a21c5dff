// A fitted line that is turned to a power law afterwards: the root of a negative number now and then.
// expect: missing_values root
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
  real x_new;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 5);
  sigma ~ normal(0, 2);
  y ~ normal(alpha + beta * x, sigma);
}
generated quantities {
  real predicted = alpha + beta * x_new;
  real root = sqrt(predicted);  // here
}
