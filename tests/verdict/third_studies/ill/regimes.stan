// Returns of a market that has three regimes, a hidden Markov model: Zucchini, MacDonald and Langrock, Hidden Markov Models for
// Time Series (2016), chapter 13; simulated. The means of the regimes have one prior and no order.
// expect: label_switching mu
// may: move
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  vector[3] mu;
  real<lower=0> sigma;
  array[3] simplex[3] move;
}
model {
  vector[3] alpha;
  matrix[3, 3] log_move;
  mu ~ normal(0, 4);
  sigma ~ normal(0, 1);
  for (i in 1:3) {
    move[i] ~ dirichlet(rep_vector(1, 3) + 5 * one_hot_vector(3, i));
    log_move[, i] = log(to_vector([move[1][i], move[2][i], move[3][i]]));
  }
  for (k in 1:3) {
    alpha[k] = normal_lpdf(y[1] | mu[k], sigma) - log(3);
  }
  for (t in 2:T) {
    vector[3] next;
    for (k in 1:3) {
      next[k] = log_sum_exp(alpha + log_move[, k]) + normal_lpdf(y[t] | mu[k], sigma);
    }
    alpha = next;
  }
  target += log_sum_exp(alpha);
}
