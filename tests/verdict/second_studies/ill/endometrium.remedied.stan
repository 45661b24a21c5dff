// Grade of tumours of the endometrium, high in all patients with neovasculature, logistic regression with the Cauchy prior that
// was once the default advice: Gelman et al., Annals of Applied Statistics 2 (2008); Ghosh, Li and Mitra, Bayesian Analysis 13
// (2018), who show that the coefficient has no mean; simulated. Remedied.
data {
  int<lower=1> N;
  vector[N] present;
  vector[N] thickness;
  array[N] int<lower=0, upper=1> high;
}
parameters {
  real alpha;
  real neovasculature;
  real slope;
}
model {
  alpha ~ normal(0, 5);
  neovasculature ~ normal(0, 2.5);
  slope ~ normal(0, 2.5);
  high ~ bernoulli_logit(alpha + neovasculature * present + slope * thickness);
}
