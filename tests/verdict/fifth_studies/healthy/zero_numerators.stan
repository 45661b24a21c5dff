// If nothing goes wrong, is everything all right? Hanley and Lippman-Hand, JAMA 249 (1983); Winkler, Smith and Fryback, American Statistician 56 (2002); made-up figures. Accused: proportions and a rate with their mode at the bound zero, predictions that are nearly always zero, a reciprocal without a mean.
data {
  int<lower=1> H;
  array[H] int<lower=0> operations;
  array[H] int<lower=0> complications;
  real<lower=0> years;
  int<lower=0> accidents;
}
parameters {
  vector<lower=0, upper=1>[H] risk;
  real<lower=0> accident_rate;
}
model {
  risk ~ beta(1, 1);
  accident_rate ~ exponential(1);
  complications ~ binomial(operations, risk);
  accidents ~ poisson(years * accident_rate);
}
generated quantities {
  vector[H] operations_per_complication = 1 / risk;
  array[H] int next_complications;
  int next_accidents = poisson_rng(accident_rate);
  for (h in 1:H) {
    next_complications[h] = binomial_rng(10, risk[h]);
  }
}
