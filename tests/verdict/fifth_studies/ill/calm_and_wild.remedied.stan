// Daily returns of a share as a mixture of calm and wild days, two normal distributions around zero: Kon, Journal of Finance 39
// (1984); simulated. Both standard deviations have the same prior and no order. Remedied.
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] profit;
}
parameters {
  positive_ordered[2] sigma;
  real<lower=0, upper=1> share;
}
model {
  sigma ~ lognormal(0, 1);
  share ~ beta(3, 3);
  for (n in 1:N) {
    target += log_mix(share, normal_lpdf(profit[n] | 0, sigma[1]), normal_lpdf(profit[n] | 0, sigma[2]));
  }
}
