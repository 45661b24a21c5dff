// Cases of a disease in sixteen districts of a map, an intrinsic autoregression of the districts' effects and an intercept,
// neither with a prior of its level: Besag, York and Mollie, Annals of the Institute of Statistical Mathematics 43 (1991); Morris
// et al., Spatial and Spatio-temporal Epidemiology 31 (2019), on the sum to zero; simulated. Remedied.
data {
  int<lower=1> N;
  int<lower=1> edges;
  array[edges] int<lower=1, upper=N> from;
  array[edges] int<lower=1, upper=N> to;
  vector<lower=0>[N] expected;
  array[N] int<lower=0> cases;
}
parameters {
  real alpha;
  vector[N - 1] first;
}
transformed parameters {
  vector[N] phi = append_row(first, -sum(first));
}
model {
  alpha ~ normal(0, 1);
  phi[from] - phi[to] ~ normal(0, 0.4);
  cases ~ poisson_log(log(expected) + alpha + phi);
}
