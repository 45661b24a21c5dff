// Size of a population from two catches with one animal in both, prior 1 / N: Petersen's estimate; Link (2013); Royle and Dorazio,
// Hierarchical Modeling and Inference in Ecology, chapter 5. The posterior falls as the square of N: it has no mean.
// expect: heavy_tails N
data {
  int<lower=0> marked;
  int<lower=0> caught;
  int<lower=0> recaptured;
}
parameters {
  real<lower=marked + caught - recaptured> N;
}
model {
  target += -log(N);
  recaptured ~ binomial(caught, marked / N);
}
