// Share of bark that lichen covers by (standardised) moisture, beta regression: Ferrari and Cribari-Neto, Journal of Applied
// Statistics 31 (2004); simulated.
data {
  int<lower=1> N;
  vector[N] moisture;
  vector<lower=0, upper=1>[N] cover;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> phi;
}
model {
  alpha ~ normal(0, 1.5);
  beta ~ normal(0, 1.5);
  phi ~ gamma(2, 0.1);
  cover ~ beta_proportion(inv_logit(alpha + beta * moisture), phi);
}
