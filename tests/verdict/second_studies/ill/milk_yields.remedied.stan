// Weekly milk yields of cows, with a standard deviation for which five was thought to be more than enough: the limits of
// uniform priors of BUGS programs, Lambert et al., Statistics in Medicine 24 (2005); Kruschke, Doing Bayesian Data Analysis,
// chapter 16; simulated with a standard deviation of twelve. Remedied.
data {
  int<lower=1> N;
  vector[N] litres;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(150, 50);
  sigma ~ normal(0, 20);
  litres ~ normal(mu, sigma);
}
