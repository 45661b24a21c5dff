// A rate, a share and three probabilities with conjugate priors: the product of a gamma, a beta and a Dirichlet distribution is the posterior.
//   credo approximate examples/texts/rate_and_share.stan --data examples/texts/rate_and_share.json --method factors
data {
  int<lower=1> N;
  array[N] int<lower=0> events;
  int<lower=0> trials, successes;
  array[3] int<lower=0> counts;
}
parameters {
  real<lower=0> rate;
  real<lower=0, upper=1> share;
  simplex[3] probability;
}
model {
  rate ~ gamma(2, 1);
  share ~ beta(1, 2);
  probability ~ dirichlet([1, 1, 1]');
  events ~ poisson(rate);
  successes ~ binomial(trials, share);
  counts ~ multinomial(probability);
}
