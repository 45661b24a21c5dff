// Eruptions of Old Faithful, short and long ones: Azzalini and Bowman (1990), simulated; mixture with ordered means as in the
// Stan User's Guide, "Finite mixtures". A new eruption has two modes.
data {
  int<lower=1> N;
  vector<lower=0>[N] minutes;
}
parameters {
  positive_ordered[2] mu;
  vector<lower=0>[2] sigma;
  simplex[2] share;
}
model {
  mu ~ normal(3, 2);
  sigma ~ lognormal(-1, 0.5);
  share ~ dirichlet([2, 2]');
  for (n in 1:N) {
    target += log_mix(share[1], normal_lpdf(minutes[n] | mu[1], sigma[1]), normal_lpdf(minutes[n] | mu[2], sigma[2]));
  }
}
generated quantities {
  int<lower=0, upper=1> is_long = bernoulli_rng(share[2]);
  real next_eruption = normal_rng(mu[1 + is_long], sigma[1 + is_long]);
}
