// Pairs of words recalled together, singly or not, a tree of storage and retrieval: Batchelder and Riefer, Psychological Review 93 (1986); Lee and Wagenmakers, Bayesian Cognitive Modeling (2013), chapter 14; simulated. Accused: probabilities known mainly by their products, correlated but identified.
data {
  array[4] int<lower=0> pairs;
  int<lower=0> singles;
  int<lower=0, upper=singles> singles_recalled;
}
parameters {
  real<lower=0, upper=1> stored;
  real<lower=0, upper=1> retrieved;
  real<lower=0, upper=1> alone;
}
transformed parameters {
  simplex[4] p;
  p[1] = stored * retrieved;
  p[2] = (1 - stored) * square(alone);
  p[3] = 2 * (1 - stored) * alone * (1 - alone);
  p[4] = stored * (1 - retrieved) + (1 - stored) * square(1 - alone);
}
model {
  stored ~ beta(1, 1);
  retrieved ~ beta(1, 1);
  alone ~ beta(1, 1);
  pairs ~ multinomial(p);
  singles_recalled ~ binomial(singles, alone);
}
generated quantities {
  array[4] int pairs_rep = multinomial_rng(p, sum(pairs));
}
