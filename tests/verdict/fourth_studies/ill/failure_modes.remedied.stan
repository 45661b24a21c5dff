// Lives of seventy circuits that fail by one of two causes which weren't looked for, a mixture of Weibull distributions: Meeker
// and Escobar, Statistical Methods for Reliability Data (1998), on early failures; simulated. Nothing says which is the first
// cause. Remedied.
// sample: --chains 8
data {
  int<lower=1> N;
  vector<lower=0>[N] life;
}
parameters {
  real<lower=0, upper=1> share;
  vector<lower=0>[2] shape;
  ordered[2] log_scale;
}
model {
  share ~ beta(2, 2);
  shape ~ lognormal(0.5, 0.5);
  log_scale ~ normal(5, 2);
  for (n in 1:N) {
    target += log_mix(share, weibull_lpdf(life[n] | shape[1], exp(log_scale[1])),
                      weibull_lpdf(life[n] | shape[2], exp(log_scale[2])));
  }
}
