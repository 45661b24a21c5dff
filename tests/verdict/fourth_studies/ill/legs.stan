// Height by the lengths of both legs, which are almost the same: McElreath, Statistical Rethinking, second edition (2020),
// section 6.1; simulated. The sum of the coefficients is known, and hardly more.
// expect: flat_direction beta_left beta_right
// level: note
data {
  int<lower=1> N;
  vector[N] height;
  vector[N] left;
  vector[N] right;
}
parameters {
  real alpha;
  real beta_left;
  real beta_right;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(10, 100);
  beta_left ~ normal(2, 10);
  beta_right ~ normal(2, 10);
  sigma ~ exponential(1);
  height ~ normal(alpha + beta_left * left + beta_right * right, sigma);
}
