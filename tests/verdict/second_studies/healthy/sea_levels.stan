// Largest sea level of each of 45 years, Gumbel, with levels that return in a hundred and ten thousand years: Coles, An
// Introduction to Statistical Modeling of Extreme Values (2001), section 3.4 (Port Pirie); simulated.
data {
  int<lower=1> N;
  vector[N] level;
}
parameters {
  real<offset=4, multiplier=0.1> mu;
  real<lower=0> beta;
}
model {
  mu ~ normal(4, 1);
  beta ~ student_t(3, 0, 0.5);
  level ~ gumbel(mu, beta);
}
generated quantities {
  vector[2] returning = mu - beta * log(-log1m([0.01, 0.0001]'));
  real largest_of_century = gumbel_rng(mu + beta * log(100), beta);
  real years_until_five = inv(exp(gumbel_lccdf(5 | mu, beta)));
}
