// Size of a population from two catches with one animal in both, prior 1 / N: Petersen's estimate; Link (2013); Royle and Dorazio,
// Hierarchical Modeling and Inference in Ecology, chapter 5. The posterior falls as the square of N: it has no mean.
// Remedied: what is known of the density of the species.
data {
  int<lower=0> marked;
  int<lower=0> caught;
  int<lower=0> recaptured;
}
parameters {
  real<lower=marked + caught - recaptured> N;
}
model {
  N ~ lognormal(log(500), 0.7);
  recaptured ~ binomial(caught, marked / N);
}
