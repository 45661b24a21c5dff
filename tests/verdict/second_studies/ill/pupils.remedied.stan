// Five tests of thirty pupils with one factor, whose sign nothing fixes: Lopes and West, Statistica Sinica 14 (2004); Gelman
// and Hill, chapter 14.3, reflection invariance; simulated. Remedied.
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] score;
}
parameters {
  vector<lower=0>[K] loading;
  vector[N] ability;
  vector<lower=0>[K] sigma;
}
model {
  loading ~ normal(0, 1);
  ability ~ normal(0, 1);
  sigma ~ lognormal(log(0.5), 0.4);
  for (k in 1:K) {
    score[, k] ~ normal(loading[k] * ability, sigma[k]);
  }
}
