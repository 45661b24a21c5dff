// Aphids killed by rotenone, a probit regression with the dose that kills half of them: Finney, Probit Analysis (1971);
// simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] dose;
  array[N] int<lower=0> aphids;
  array[N] int<lower=0> dead;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  dead ~ binomial(aphids, Phi(alpha + beta * log(dose)));
}
generated quantities {
  real LD50 = exp(-alpha / beta);
  real LD99 = exp((inv_Phi(0.99) - alpha) / beta);
  array[N] int again = binomial_rng(aphids, Phi(alpha + beta * log(dose)));
}
