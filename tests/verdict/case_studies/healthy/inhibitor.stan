// Inhibition of an enzyme by a drug in molar units, four-parameter curve: Ritz and Streibig, Dose-response analysis using R;
// Gelman, Bois and Jiang (1996) for the prior; simulated. The half-maximal dose is about a millionth.
data {
  int<lower=1> N;
  vector<lower=0>[N] molar;
  vector[N] activity;
}
parameters {
  real<lower=0> ic50;
  real<lower=0> slope;
  real bottom;
  real<lower=bottom> top;
  real<lower=0> sigma;
}
model {
  ic50 ~ lognormal(log(1e-6), 2);
  slope ~ lognormal(0, 0.5);
  bottom ~ normal(0, 20);
  top ~ normal(100, 20);
  sigma ~ normal(0, 20);
  activity ~ normal(bottom + (top - bottom) ./ (1 + pow(molar / ic50, slope)), sigma);
}
generated quantities {
  real potency = -log10(ic50);
}
