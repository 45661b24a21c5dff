// Ticks on chicks of grouse by altitude, negative binomial: Elston et al., Parasitology 122 (2001); simulated.
data {
  int<lower=1> N;
  vector[N] altitude;
  array[N] int<lower=0> ticks;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> phi;
}
model {
  alpha ~ normal(1, 1);
  beta ~ normal(0, 1);
  phi ~ gamma(2, 1);
  ticks ~ neg_binomial_2_log(alpha + beta * altitude, phi);
}
generated quantities {
  array[N] int again = neg_binomial_2_log_rng(alpha + beta * altitude, phi);
  int most = max(again);
  vector[N] log_lik;
  for (n in 1:N) {
    log_lik[n] = neg_binomial_2_log_lpmf(ticks[n] | alpha + beta * altitude[n], phi);
  }
}
