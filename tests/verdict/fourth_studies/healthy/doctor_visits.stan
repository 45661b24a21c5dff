// Visits to the doctor in a quarter by (standardised) age, a hurdle and positive Poisson numbers behind it: Mullahy, Journal of
// Econometrics 33 (1986); Deb and Trivedi, Journal of Applied Econometrics 12 (1997); simulated.
data {
  int<lower=1> N;
  vector[N] age;
  array[N] int<lower=0> visits;
}
parameters {
  real alpha;
  real beta;
  real gamma;
  real delta;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  gamma ~ normal(1, 1);
  delta ~ normal(0, 1);
  for (n in 1:N) {
    1 - (visits[n] == 0) ~ bernoulli_logit(alpha + beta * age[n]);
    if (visits[n] > 0) {
      real eta = gamma + delta * age[n];
      target += poisson_log_lpmf(visits[n] | eta) - log1m_exp(-exp(eta));
    }
  }
}
generated quantities {
  int visits_of_oldest = bernoulli_logit_rng(alpha + 2 * beta) * poisson_log_rng(gamma + 2 * delta);
}
