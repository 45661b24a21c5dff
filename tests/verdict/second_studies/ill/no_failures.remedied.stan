// Twenty pumps that ran between 200 and 900 hours without a failure, mean lifetime with a flat prior of its logarithm: Meeker
// and Escobar, Statistical Methods for Reliability Data (1998), section 8.6 (zero failures); simulated. Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] hours;
}
parameters {
  real log_mean;
}
model {
  log_mean ~ normal(9, 1.5);
  target += exponential_lccdf(hours | exp(-log_mean));
}
