// Rents by floor space, with long tails of unknown degrees of freedom: Kruschke, Doing Bayesian Data Analysis (2015), chapter 17;
// simulated.
data {
  int<lower=1> N;
  vector[N] space;
  vector[N] rent;
}
parameters {
  real a;
  real b;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  a ~ normal(8, 5);
  b ~ normal(0, 5);
  sigma ~ normal(0, 3);
  nu ~ gamma(2, 0.1);
  rent ~ student_t(nu, a + b * space, sigma);
}
generated quantities {
  real log10_nu = log10(nu);
  real next_rent = student_t_rng(nu, a, sigma);
}
