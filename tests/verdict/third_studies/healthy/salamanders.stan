// Sites where salamanders live, seen on some of five visits, the sites' states summed out: MacKenzie et al., Ecology 83 (2002);
// simulated.
data {
  int<lower=1> S;
  int<lower=1> K;
  array[S] int<lower=0, upper=K> seen;
}
parameters {
  real<lower=0, upper=1> psi;
  real<lower=0, upper=1> p;
}
model {
  for (s in 1:S) {
    if (seen[s] > 0) {
      target += log(psi) + binomial_lpmf(seen[s] | K, p);
    } else {
      target += log_mix(psi, binomial_lpmf(0 | K, p), 0);
    }
  }
}
generated quantities {
  array[S] int occupied;
  for (s in 1:S) {
    real unseen = psi * pow(1 - p, K);
    occupied[s] = seen[s] > 0 ? 1 : bernoulli_rng(unseen / (unseen + 1 - psi));
  }
  int sites = sum(occupied);
}
