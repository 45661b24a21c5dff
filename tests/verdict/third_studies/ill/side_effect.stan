// A side effect that three of forty had without the drug and nobody with it, a logistic regression without priors: Gelman et al.,
// Annals of Applied Statistics 2 (2008).
// expect: improper effect
data {
  array[2] int<lower=0> patients;
  array[2] int<lower=0> cases;
  vector[2] treated;
}
parameters {
  real alpha;
  real effect;
}
model {
  cases ~ binomial_logit(patients, alpha + effect * treated);
}
generated quantities {
  real odds_ratio = exp(effect);
}
