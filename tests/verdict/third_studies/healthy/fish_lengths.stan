// Lengths of fish of two ages far apart, a mixture with ordered means: Hosmer, Biometrics 29 (1973), on halibut; simulated.
data {
  int<lower=1> N;
  vector[N] length;
}
parameters {
  real<lower=0, upper=1> young;
  ordered[2] mu;
  vector<lower=0>[2] sigma;
}
model {
  young ~ beta(2, 2);
  mu ~ normal(35, 15);
  sigma ~ lognormal(1, 0.5);
  for (n in 1:N) {
    target += log_mix(young, normal_lpdf(length[n] | mu[1], sigma[1]), normal_lpdf(length[n] | mu[2], sigma[2]));
  }
}
generated quantities {
  vector[N] p_young;
  for (n in 1:N) {
    real a = log(young) + normal_lpdf(length[n] | mu[1], sigma[1]);
    real b = log1m(young) + normal_lpdf(length[n] | mu[2], sigma[2]);
    p_young[n] = inv_logit(a - b);
  }
}
