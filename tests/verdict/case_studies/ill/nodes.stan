// Spread of cancer to the lymph nodes by two binary signs: Brown (1980), simplified; Gelman and Hill, Data Analysis Using
// Regression, section 5.8. All patients with both signs have the spread, so that with flat priors the interaction has no bound.
// expect: improper both
data {
  int<lower=1> N;
  array[N] int<lower=0> patients;
  array[N] int<lower=0> spread;
  vector[N] acid;
  vector[N] xray;
}
parameters {
  real alpha;
  real per_acid;
  real per_xray;
  real both;  // here
}
model {
  spread ~ binomial_logit(patients, alpha + per_acid * acid + per_xray * xray + both * acid .* xray);  // here
}
