// Cover of grasses by deposition of nitrogen with a threshold where the slope changes, no prior for the threshold: Qian and
// Cuffney, Ecological Indicators 15 (2012), on hockey stick models; simulated, without a threshold. Beyond the largest deposition
// the threshold may be anywhere, and nothing changes.
// expect: improper threshold
// may: threshold change_of_slope slope alpha
data {
  int<lower=1> N;
  vector[N] nitrogen;
  vector[N] cover;
}
parameters {
  real alpha;
  real slope;
  real change_of_slope;
  real threshold;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  slope ~ normal(0, 1);
  change_of_slope ~ normal(0, 1);
  sigma ~ normal(0, 1);
  for (n in 1:N) {
    cover[n] ~ normal(alpha + slope * nitrogen[n] + change_of_slope * fmax(0, nitrogen[n] - threshold), sigma);
  }
}
