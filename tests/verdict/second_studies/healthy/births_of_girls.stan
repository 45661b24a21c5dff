// Girls among a quarter of a million births in Paris, one chain: Laplace (1786); Gelman et al., Bayesian Data Analysis, section
// 2.4. The posterior is a thousand times narrower than the prior.
// sample: --chains 1 --draws 4000
data {
  int<lower=0> births;
  int<lower=0> girls;
}
parameters {
  real<lower=0, upper=1> p;
}
model {
  girls ~ binomial(births, p);
}
generated quantities {
  int more_girls = p >= 0.5;
  real odds = p / (1 - p);
}
