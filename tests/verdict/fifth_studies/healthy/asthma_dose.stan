// Breath after five doses of a drug, a hyperbola with its maximum: MacDougall, in Dose Finding in Drug Development (2006); Bretz, Pinheiro and Branson, Biometrics 61 (2005); simulated. Accused: maximum and half-maximal dose that are correlated and skewed, the dose of a wanted effect, which isn't always there and then infinite or negative.
data {
  int<lower=1> N;
  vector<lower=0>[N] dose;
  vector[N] effect;
}
parameters {
  real placebo;
  real maximum;
  real<lower=0> half_dose;
  real<lower=0> sigma;
}
model {
  placebo ~ normal(0, 5);
  maximum ~ normal(10, 10);
  half_dose ~ lognormal(log(20), 0.7);
  sigma ~ normal(0, 5);
  effect ~ normal(placebo + maximum * dose ./ (half_dose + dose), sigma);
}
generated quantities {
  real dose_for_nine = 9 * half_dose / (maximum - 9);
  vector[N] effect_rep;
  for (n in 1:N) {
    effect_rep[n] = normal_rng(placebo + maximum * dose[n] / (half_dose + dose[n]), sigma);
  }
}
