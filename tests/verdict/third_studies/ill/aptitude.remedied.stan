// One factor behind six tests, loadings and scores with normal priors around zero: Lopes and West, Statistica Sinica 14 (2004);
// simulated. Changing the signs of all of them changes nothing. Remedied.
// sample: --chains 8
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] test;
}
parameters {
  vector<lower=0>[K] loading;
  vector[N] score;
  vector<lower=0>[K] psi;
}
model {
  loading ~ normal(0, 1);
  score ~ normal(0, 1);
  psi ~ normal(0, 1);
  for (k in 1:K) {
    test[, k] ~ normal(loading[k] * score, psi[k]);
  }
}
