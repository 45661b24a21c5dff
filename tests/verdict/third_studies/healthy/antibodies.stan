// Prevalence of antibodies, with a test whose sensitivity and specificity were measured elsewhere: Gelman and Carpenter, Journal
// of the Royal Statistical Society C 69 (2020); numbers of the order of theirs, with more positives.
data {
  array[3] int<lower=0> tested;
  array[3] int<lower=0> right_or_positive;
}
parameters {
  real<lower=0, upper=1> prevalence;
  real<lower=0.5, upper=1> sensitivity;
  real<lower=0.5, upper=1> specificity;
}
model {
  right_or_positive[1] ~ binomial(tested[1], prevalence * sensitivity + (1 - prevalence) * (1 - specificity));
  right_or_positive[2] ~ binomial(tested[2], sensitivity);
  right_or_positive[3] ~ binomial(tested[3], specificity);
}
generated quantities {
  real positive_is_right = prevalence * sensitivity / (prevalence * sensitivity + (1 - prevalence) * (1 - specificity));
  real odds = prevalence / (1 - prevalence);
}
