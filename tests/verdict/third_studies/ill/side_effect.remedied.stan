// A side effect that three of forty had without the drug and nobody with it, a logistic regression without priors: Gelman et al.,
// Annals of Applied Statistics 2 (2008). Remedied.
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
  alpha ~ normal(-2, 1.5);
  effect ~ normal(0, 1.5);
  cases ~ binomial_logit(patients, alpha + effect * treated);
}
generated quantities {
  real odds_ratio = exp(effect);
}
