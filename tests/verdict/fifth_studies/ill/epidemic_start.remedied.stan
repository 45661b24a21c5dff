// Daily cases in the first fortnight of an epidemic, exponential growth at the rate of transmission less that of recovery: Keeling
// and Rohani, Modeling Infectious Diseases in Humans and Animals (2008), section 2.1; simulated. Only the difference of both rates
// is seen. Remedied: how long patients are infectious is known.
data {
  int<lower=1> N;
  vector[N] day;
  array[N] int<lower=0> cases;
}
parameters {
  real log_start;
  real<lower=0> transmission;
  real<lower=0> recovery;
}
model {
  log_start ~ normal(2, 1);
  transmission ~ lognormal(-0.5, 1);
  recovery ~ lognormal(-1.6, 0.1);
  cases ~ poisson_log(log_start + (transmission - recovery) * day);
}
