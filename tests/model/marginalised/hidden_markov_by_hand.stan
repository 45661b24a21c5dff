data {
  int<lower=2> N;
  vector[N] y;
}
parameters {
  array[2] simplex[2] move;
  ordered[2] mu;
}
transformed parameters {
  array[N] vector[2] forward;
  for (k in 1:2) {
    forward[1, k] = normal_lpdf(y[1] | mu[k], 1);
  }
  for (t in 2:N) {
    for (k in 1:2) {
      forward[t, k] = log_sum_exp(forward[t - 1, 1] + log(move[1, k]), forward[t - 1, 2] + log(move[2, k]))
                      + normal_lpdf(y[t] | mu[k], 1);
    }
  }
}
model {
  move[1] ~ dirichlet([8, 2]');
  move[2] ~ dirichlet([2, 8]');
  mu ~ normal(0, 3);
  target += log_sum_exp(forward[N]);
}
generated quantities {
  vector[N] p;
  {
    vector[2] backward = [0, 0]';
    p[N] = softmax(forward[N])[1];
    for (i in 1:N - 1) {
      int t = N - i;
      vector[2] next;
      for (k in 1:2) {
        next[k] = log_sum_exp(log(move[k, 1]) + normal_lpdf(y[t + 1] | mu[1], 1) + backward[1],
                              log(move[k, 2]) + normal_lpdf(y[t + 1] | mu[2], 1) + backward[2]);
      }
      backward = next;
      p[t] = softmax(forward[t] + backward)[1];
    }
  }
}
