// A mixture whose means are ordered.
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real<lower=0, upper=1> share;
  ordered[2] mu;
  real<lower=0> sigma;
}
model {
  share ~ beta(2, 2);
  mu ~ normal(170, 15);
  sigma ~ normal(0, 10);
  for (i in 1:N)
    target += log_mix(share, normal_lpdf(y[i] | mu[1], sigma), normal_lpdf(y[i] | mu[2], sigma));
}
