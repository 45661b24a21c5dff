// Four doses, five animals each: Racine et al. (1986); Bayesian Data Analysis, 3rd ed., section 3.7. The prior is flat; the
// data make the posterior proper. The dose that kills half is a ratio.
data {
  int<lower=1> D;
  vector[D] log_dose;
  array[D] int<lower=0> animals;
  array[D] int<lower=0> deaths;
}
parameters {
  real alpha;
  real beta;
}
model {
  deaths ~ binomial_logit(animals, alpha + beta * log_dose);
}
generated quantities {
  real ld50 = -alpha / beta;
  array[D] int predicted = binomial_rng(animals, inv_logit(alpha + beta * log_dose));
}
