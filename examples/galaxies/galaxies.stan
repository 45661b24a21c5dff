// Velocities of 82 galaxies: in how many clusters, and where? A mixture of K normal distributions.
data {
  int<lower=0> N;
  int<lower=1> K;
  vector[N] velocity;  // km/s
}
transformed data {
  vector[N] speed = velocity / 1000;
}
parameters {
  ordered[K] mu;  // 1000 km/s
  vector<lower=0>[K] sigma;
  simplex[K] share;
}
model {
  mu ~ normal(20, 10);
  sigma ~ lognormal(0, 0.5);
  share ~ dirichlet(rep_vector(2, K));
  for (n in 1:N) {
    vector[K] log_p = log(share);
    for (k in 1:K)
      log_p[k] += normal_lpdf(speed[n] | mu[k], sigma[k]);
    target += log_sum_exp(log_p);
  }
}
generated quantities {
  vector[N] log_lik;
  for (n in 1:N) {
    vector[K] log_p = log(share);
    for (k in 1:K)
      log_p[k] += normal_lpdf(speed[n] | mu[k], sigma[k]);
    log_lik[n] = log_sum_exp(log_p);
  }
}
