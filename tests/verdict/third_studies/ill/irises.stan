// Length of petals of irises, two species whose names are lost: a normal mixture, after McLachlan and Peel, Finite Mixture Models
// (2000); simulated.
// expect: label_switching mu
// may: weight sigma
// sample: --chains 8
data {
  int<lower=1> N;
  vector[N] petal;
}
parameters {
  real<lower=0, upper=1> weight;
  vector[2] mu;
  vector<lower=0>[2] sigma;
}
model {
  weight ~ beta(2, 2);
  mu ~ normal(4, 2);
  sigma ~ lognormal(-1, 0.5);
  for (n in 1:N) {
    target += log_mix(weight, normal_lpdf(petal[n] | mu[1], sigma[1]), normal_lpdf(petal[n] | mu[2], sigma[2]));
  }
}
