// Thickness of ice along a track that has two kinds of ice in stretches, a hidden Markov model with ordered means: Zucchini,
// MacDonald and Langrock, Hidden Markov Models for Time Series (2016), chapter 7; simulated.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  ordered[2] mu;
  vector<lower=0>[2] sigma;
  array[2] simplex[2] move;
}
model {
  matrix[2, T] lp;
  matrix[2, 2] P;
  mu ~ normal(2, 3);
  sigma ~ normal(0, 2);
  move[1] ~ dirichlet([4, 1]');
  move[2] ~ dirichlet([1, 4]');
  for (i in 1:2) {
    P[i] = move[i]';
    for (t in 1:T) {
      lp[i, t] = normal_lpdf(y[t] | mu[i], sigma[i]);
    }
  }
  target += hmm_marginal(lp, P, rep_vector(0.5, 2));
}
