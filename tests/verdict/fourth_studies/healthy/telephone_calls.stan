// Calls by telephone from Belgium by year, some of which were noted in minutes, a regression with Student's errors: Rousseeuw and
// Leroy, Robust Regression and Outlier Detection (1987), chapter 2; simulated in their manner.
data {
  int<lower=1> N;
  vector[N] year;
  vector[N] calls;
}
transformed data {
  vector[N] x = (year - mean(year)) / 10;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  alpha ~ normal(3, 3);
  beta ~ normal(0, 3);
  sigma ~ normal(0, 1);
  nu ~ gamma(2, 0.1);
  calls ~ student_t(nu, alpha + beta * x, sigma);
}
generated quantities {
  real next_year = student_t_rng(nu, alpha + beta * 1.25, sigma);
}
