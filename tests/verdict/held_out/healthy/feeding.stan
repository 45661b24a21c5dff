// A hidden Markov chain of two states, its path summed out; the means are ordered.
data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  array[2] simplex[2] move;
  ordered[2] mu;
}
model {
  vector[2] forward;
  mu ~ normal(3, 3);
  move[1] ~ dirichlet([8, 2]');
  move[2] ~ dirichlet([2, 8]');
  for (k in 1:2)
    forward[k] = normal_lpdf(y[1] | mu[k], 1);
  for (t in 2:T) {
    vector[2] next;
    for (k in 1:2)
      next[k] = log_sum_exp(forward[1] + log(move[1, k]), forward[2] + log(move[2, k])) + normal_lpdf(y[t] | mu[k], 1);
    forward = next;
  }
  target += log_sum_exp(forward);
}
