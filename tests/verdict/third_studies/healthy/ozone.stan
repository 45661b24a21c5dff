// Admissions by ozone, of which twelve days are missing and are parameters, with a model of ozone by temperature: Little and
// Rubin, Statistical Analysis with Missing Data (2019); simulated.
data {
  int<lower=1> N;
  int<lower=1> N_seen;
  array[N_seen] int<lower=1, upper=N> seen;
  array[N - N_seen] int<lower=1, upper=N> missing_days;
  vector[N_seen] ozone_seen;
  vector[N] warm;
  vector[N] admissions;
}
parameters {
  vector[N - N_seen] ozone_missing;
  vector[2] a;
  vector[2] b;
  vector<lower=0>[2] sigma;
}
transformed parameters {
  vector[N] ozone;
  ozone[seen] = ozone_seen;
  ozone[missing_days] = ozone_missing;
}
model {
  a ~ normal(0, 3);
  b ~ normal(0, 2);
  sigma ~ normal(0, 1);
  ozone ~ normal(a[1] + b[1] * warm, sigma[1]);
  admissions ~ normal(a[2] + b[2] * ozone, sigma[2]);
}
