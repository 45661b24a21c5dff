// Deaths by age, Gompertz' law: Preston, Heuveline and Guillot, Demography (2001), chapter 9; simulated. The rates are as small
// as one in a thousand.
data {
  int<lower=1> N;
  vector[N] age;
  array[N] int<lower=0> years;
  array[N] int<lower=0> deaths;
}
parameters {
  real log_a;
  real<lower=0> b;
}
model {
  log_a ~ normal(-4, 2);
  b ~ normal(1, 0.5);
  deaths ~ poisson_log(log(to_vector(years)) + log_a + b * (age - 65) / 10);
}
generated quantities {
  real rate_at_20 = exp(log_a - 4.5 * b);
  real doubling = 10 * log(2) / b;
  real one_in = 1 / rate_at_20;
}
