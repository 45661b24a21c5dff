// Antibodies in a sample of two thousand, a single test whose sensitivity and specificity are hardly known: Rogan and Gladen,
// American Journal of Epidemiology 107 (1978); Gelman and Carpenter, Applied Statistics 69 (2020); made-up figures. The share of
// positive tests is one combination of three parameters.
// expect: flat_direction prevalence/sensitivity/specificity
// may: prevalence sensitivity specificity
// level: note
data {
  int<lower=1> tested;
  int<lower=0, upper=tested> positive;
}
parameters {
  real<lower=0, upper=1> prevalence;
  real<lower=0, upper=1> sensitivity;
  real<lower=0, upper=1> specificity;
}
model {
  sensitivity ~ beta(4, 2);
  specificity ~ beta(4, 2);
  positive ~ binomial(tested, prevalence * sensitivity + (1 - prevalence) * (1 - specificity));
}
