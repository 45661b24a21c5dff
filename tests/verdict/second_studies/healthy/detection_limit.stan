// Log concentrations of arsenic in wells, those below the limit of detection as parameters under their bound: Helsel,
// Nondetects and Data Analysis (2005); Stan User's Guide, chapter on censored data; simulated.
data {
  int<lower=1> N;
  vector[N] seen;
  int<lower=0> C;
  real limit;
}
parameters {
  real mu;
  real<lower=0> sigma;
  vector<upper=limit>[C] below;
}
model {
  mu ~ normal(0, 3);
  sigma ~ normal(0, 2);
  seen ~ normal(mu, sigma);
  below ~ normal(mu, sigma);
}
generated quantities {
  real mean_concentration = exp(mu + square(sigma) / 2);
}
