// A standard deviation that was thought to be a share of one; the data vary more.
// expect: at_bound sigma
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real alpha;
  real beta;
  real<lower=0, upper=1> sigma;  // here
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, 5);
  y ~ normal(alpha + beta * x, sigma);  // here
}
