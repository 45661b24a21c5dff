// Visits out of five at which newts were seen, forty ponds that may be occupied or not: MacKenzie et al., Ecology 83 (2002);
// simulated. The share of occupied ponds has a uniform prior from 0 to 1, but its declaration allows any real number, and nearly
// all ponds are occupied. Remedied.
data {
  int<lower=1> S;
  int<lower=1> V;
  array[S] int<lower=0, upper=V> seen;
}
parameters {
  real<lower=0, upper=1> psi;
  real<lower=0, upper=1> p;
}
model {
  psi ~ uniform(0, 1);
  p ~ beta(1, 1);
  for (s in 1:S) {
    if (seen[s] > 0) {
      target += log(psi) + binomial_lpmf(seen[s] | V, p);
    } else {
      target += log_sum_exp(log(psi) + V * log1m(p), log1m(psi));
    }
  }
}
