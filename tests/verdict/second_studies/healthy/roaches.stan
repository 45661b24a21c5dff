// Cockroaches in traps of treated and untreated flats, negative binomial with more zeros: Gelman and Hill, chapter 6; Gabry and
// Goodrich, vignettes of rstanarm; simulated. Predictions are counts with a spike at zero.
data {
  int<lower=1> N;
  vector[N] treated;
  array[N] int<lower=0> caught;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> inv_phi;
  real<lower=0, upper=1> empty;
}
model {
  alpha ~ normal(1, 1);
  beta ~ normal(0, 1);
  inv_phi ~ exponential(1);
  empty ~ beta(2, 4);
  for (n in 1:N) {
    real eta = alpha + beta * treated[n];
    if (caught[n] == 0) {
      target += log_mix(empty, 0, neg_binomial_2_log_lpmf(0 | eta, inv(inv_phi)));
    } else {
      target += log1m(empty) + neg_binomial_2_log_lpmf(caught[n] | eta, inv(inv_phi));
    }
  }
}
generated quantities {
  int in_new_flat = bernoulli_rng(empty) ? 0 : neg_binomial_2_log_rng(alpha, inv(inv_phi));
  real share_of_zeros = empty + (1 - empty) * exp(neg_binomial_2_log_lpmf(0 | alpha, inv(inv_phi)));
}
