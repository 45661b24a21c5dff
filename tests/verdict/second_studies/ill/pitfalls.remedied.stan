// Beetles in pitfall traps: the density at each site times the share that a trap catches, which no second visit tells: Royle
// and Dorazio, Hierarchical Modeling and Inference in Ecology (2008), chapter 1; Kery, Introduction to WinBUGS for Ecologists;
// simulated. Remedied.
data {
  int<lower=1> S;
  int<lower=1> V;
  array[S, V] int<lower=0> caught;
}
parameters {
  vector<lower=0>[S] density;
  real<lower=0> effort;
}
model {
  density ~ lognormal(3, 1);
  effort ~ lognormal(-1, 0.1);
  for (s in 1:S) {
    caught[s] ~ poisson(density[s] * effort);
  }
}
