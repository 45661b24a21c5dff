// Presence of blue grosbeaks by elevation where three visits may all miss them: Kery and Royle, Applied Hierarchical Modeling
// in Ecology (2016), chapter 10; simulated. Occupied sites as zeros and ones, nearly constant for some.
data {
  int<lower=1> S;
  int<lower=1> V;
  vector[S] elevation;
  array[S] int<lower=0, upper=V> seen;
}
parameters {
  real alpha;
  real beta;
  real<lower=0, upper=1> p;
}
model {
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 1);
  p ~ beta(2, 2);
  for (s in 1:S) {
    real eta = alpha + beta * elevation[s];
    if (seen[s] > 0) {
      target += log_inv_logit(eta) + binomial_lpmf(seen[s] | V, p);
    } else {
      target += log_sum_exp(log_inv_logit(eta) + V * log1m(p), log1m_inv_logit(eta));
    }
  }
}
generated quantities {
  array[S] int occupied;
  for (s in 1:S) {
    real eta = alpha + beta * elevation[s];
    occupied[s] = seen[s] > 0 ? 1 : bernoulli_logit_rng(eta + V * log1m(p));
  }
  int sites = sum(occupied);
}
