// Height by the lengths of both legs, which are almost the same: McElreath, Statistical Rethinking, second edition (2020),
// section 6.1; simulated. The sum of the coefficients is known, and hardly more. Remedied.
data {
  int<lower=1> N;
  vector[N] height;
  vector[N] left;
  vector[N] right;
}
transformed data {
  vector[N] leg = 0.5 * (left + right);
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(10, 100);
  beta ~ normal(2, 10);
  sigma ~ exponential(1);
  height ~ normal(alpha + beta * leg, sigma);
}
