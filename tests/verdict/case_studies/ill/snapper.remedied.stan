// Lengths of snappers of three years, three normal components in any order: Cassie (1954); Marin and Robert, Bayesian Core,
// chapter 6; simulated.
// Remedied: ordered means.
data {
  int<lower=1> N;
  int<lower=1> K;
  vector[N] inches;
}
parameters {
  ordered[K] mu;
  vector<lower=0>[K] sigma;
  simplex[K] share;
}
model {
  mu ~ normal(8, 4);
  sigma ~ lognormal(-0.5, 0.3);
  share ~ dirichlet(rep_vector(2, K));
  for (n in 1:N) {
    vector[K] term = log(share);
    for (k in 1:K) {
      term[k] += normal_lpdf(inches[n] | mu[k], sigma[k]);
    }
    target += log_sum_exp(term);
  }
}
