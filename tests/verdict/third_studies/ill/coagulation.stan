// Coagulation time of blood of animals on four diets: Gelman et al., Bayesian Data Analysis, third edition (2013), table 11.2. A
// grand mean and an effect of each diet, all with vague priors: adding to the one and taking from the others changes nothing.
// expect: flat_direction mu alpha
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> diet;
  vector[N] time;
}
parameters {
  real mu;
  vector[J] alpha;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 1000);
  alpha ~ normal(0, 1000);
  sigma ~ normal(0, 10);
  time ~ normal(mu + alpha[diet], sigma);
}
