// Newcomb's 66 measurements of the speed of light, with the errors of a t distribution: Stigler, Annals of Statistics 5 (1977);
// Gelman et al., Bayesian Data Analysis (2013), section 3.2; stopped after twelve draws a chain.
// expect: few_draws
// may: mu sigma lp__
// sample: --draws 12
// remedy: --draws 1000
data {
  int<lower=1> N;
  vector[N] deviation;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(25, 20);
  sigma ~ lognormal(1.5, 1);
  deviation ~ student_t(4, mu, sigma);
}
