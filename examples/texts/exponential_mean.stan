// Independent outcomes of an exponential law of mean lambda; without a prior the mode is that of the likelihood, their average:
//   credo optimize examples/texts/exponential_mean.stan --data examples/texts/exponential_mean.json
data {
  int<lower=1> N;
  vector<lower=0>[N] x;
}
parameters {
  real<lower=0> lambda;
}
model {
  x ~ exponential(1 / lambda);
}
