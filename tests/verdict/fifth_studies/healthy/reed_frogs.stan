// Tadpoles that survive in thirty tanks, intercepts around their mean: Vonesh and Bolker, Ecology 86 (2005); McElreath, Statistical Rethinking, second edition (2020), section 13.1; simulated. Accused: a centred hierarchy, which is right here since tanks differ; many groups; tanks where all survive.
data {
  int<lower=1> N;
  array[N] int<lower=1> density;
  array[N] int<lower=0> survived;
}
parameters {
  real typical;
  real<lower=0> spread;
  vector[N] tank;
}
model {
  typical ~ normal(0, 1.5);
  spread ~ exponential(1);
  tank ~ normal(typical, spread);
  survived ~ binomial_logit(density, tank);
}
generated quantities {
  vector[N] survival = inv_logit(tank);
  real new_tank = inv_logit(normal_rng(typical, spread));
  array[N] int survived_rep;
  vector[N] log_lik;
  for (i in 1:N) {
    survived_rep[i] = binomial_rng(density[i], survival[i]);
    log_lik[i] = binomial_logit_lpmf(survived[i] | density[i], tank[i]);
  }
}
