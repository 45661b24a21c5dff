// Activity of an enzyme that breaks down caffeine in the blood of 150 persons, two kinds of people: Bechtel et al., Clinical
// Pharmacology and Therapeutics 54 (1993); Richardson and Green, Journal of the Royal Statistical Society B 59 (1997); simulated,
// in logarithms.
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  ordered[2] mu;
  vector<lower=0>[2] sigma;
  real<lower=0, upper=1> share;
}
model {
  mu ~ normal(0, 2);
  sigma ~ lognormal(-0.7, 0.5);
  share ~ beta(2, 2);
  for (n in 1:N) {
    target += log_mix(share, normal_lpdf(y[n] | mu[1], sigma[1]), normal_lpdf(y[n] | mu[2], sigma[2]));
  }
}
generated quantities {
  real ratio = exp(mu[2] - mu[1]);
}
