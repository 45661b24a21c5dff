// Coagulation time of blood of animals on four diets: Gelman et al., Bayesian Data Analysis, third edition (2013), table 11.2. A
// grand mean and an effect of each diet, all with vague priors: adding to the one and taking from the others changes nothing.
// Remedied.
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> diet;
  vector[N] time;
}
parameters {
  real mu;
  vector[J - 1] effect;
  real<lower=0> sigma;
}
transformed parameters {
  vector[J] alpha = append_row(0, effect);
}
model {
  mu ~ normal(0, 1000);
  effect ~ normal(0, 1000);
  sigma ~ normal(0, 10);
  time ~ normal(mu + alpha[diet], sigma);
}
