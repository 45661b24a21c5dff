// Two normal components; the ordered means keep their labels apart.
data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  ordered[2] mu;
  vector<lower=0>[2] sigma;
  real<lower=0, upper=1> weight; // of the first component
}
model {
  mu ~ normal(0, 5);
  sigma ~ normal(0, 2);
  weight ~ beta(5, 5);
  for (n in 1:N) {
    target += log_mix(weight, normal_lpdf(y[n] | mu[1], sigma[1]), normal_lpdf(y[n] | mu[2], sigma[2]));
  }
}
