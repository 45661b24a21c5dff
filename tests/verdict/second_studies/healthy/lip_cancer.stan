// Cases of a cancer in 36 districts of a grid beside the expected, with intrinsic autoregressive effects that nearly sum to
// zero: Besag, York and Mollie (1991); Morris et al., Spatial and Spatio-temporal Epidemiology 31 (2019) (Stan case study);
// simulated.
data {
  int<lower=1> N;
  int<lower=1> M;
  array[M] int<lower=1, upper=N> node1;
  array[M] int<lower=1, upper=N> node2;
  vector<lower=0>[N] expected;
  array[N] int<lower=0> cases;
}
parameters {
  real alpha;
  real<lower=0> sigma;
  vector[N] phi;
}
model {
  alpha ~ normal(0, 1);
  sigma ~ normal(0, 1);
  target += -0.5 * dot_self(phi[node1] - phi[node2]);
  sum(phi) ~ normal(0, 0.001 * N);
  cases ~ poisson_log(log(expected) + alpha + sigma * phi);
}
generated quantities {
  vector[N] relative_risk = exp(alpha + sigma * phi);
}
