// Tones that musicians tune to a stretched one, by one of two rules: Cohen (1980); De Veaux, Computational Statistics and Data
// Analysis 8 (1989), mixtures of two regressions; simulated. The rules have the same prior. Remedied.
data {
  int<lower=1> N;
  vector[N] stretch;
  vector[N] tuned;
}
parameters {
  vector[2] height;
  ordered[2] slope;
  real<lower=0, upper=1> share;
  real<lower=0> sigma;
}
model {
  height ~ normal(2, 1);
  slope ~ normal(0.5, 1);
  share ~ beta(2, 2);
  sigma ~ normal(0, 0.5);
  for (n in 1:N) {
    target += log_mix(share, normal_lpdf(tuned[n] | height[1] + slope[1] * (stretch[n] - 2), sigma),
                      normal_lpdf(tuned[n] | height[2] + slope[2] * (stretch[n] - 2), sigma));
  }
}
