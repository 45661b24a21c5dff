// Highest flow of a river in each of sixty years, Gumbel, with the flood of a hundred years: Coles, An Introduction to
// Statistical Modeling of Extreme Values (2001), chapter 3; simulated.
data {
  int<lower=1> N;
  vector[N] flow;
}
parameters {
  real mu;
  real<lower=0> beta;
}
model {
  mu ~ normal(5, 5);
  beta ~ normal(0, 5);
  flow ~ gumbel(mu, beta);
}
generated quantities {
  real hundred_years = mu - beta * log(-log(0.99));
  vector[100] century;
  for (n in 1:100) {
    century[n] = gumbel_rng(mu, beta);
  }
  real worst = max(century);
  real damage = exp(worst);
}
