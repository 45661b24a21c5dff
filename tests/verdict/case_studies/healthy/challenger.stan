// Distress of O-rings by temperature, with a forecast far outside: Dalal, Fowlkes and Hoadley (1989);
// Marin and Robert, Bayesian Core; Christensen et al., Bayesian Ideas and Data Analysis.
data {
  int<lower=1> N;
  vector[N] fahrenheit;
  array[N] int<lower=0, upper=1> distress;
}
parameters {
  real at_seventy;
  real per_ten_degrees;
}
model {
  at_seventy ~ student_t(3, 0, 2.5);
  per_ten_degrees ~ student_t(3, 0, 2.5);
  distress ~ bernoulli_logit(at_seventy + per_ten_degrees * (fahrenheit - 70) / 10);
}
generated quantities {
  real odds_at_31 = exp(at_seventy + per_ten_degrees * (31 - 70) / 10);
  real even_odds_at = 70 - 10 * at_seventy / per_ten_degrees;
  int<lower=0, upper=1> distress_at_31 = bernoulli_rng(odds_at_31 / (1 + odds_at_31));
}
