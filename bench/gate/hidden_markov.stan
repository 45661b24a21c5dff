// The forward algorithm for states that are summed over.
data {
  int<lower=1> T;
  int<lower=1> K;
  vector[T] y;
}
parameters {
  array[K] simplex[K] transition;
  ordered[K] mean;
}
model {
  vector[K] forward;
  mean ~ normal(0, 3);
  for (k in 1 : K) {
    forward[k] = normal_lpdf(y[1] | mean[k], 1);
  }
  for (t in 2 : T) {
    vector[K] next;
    for (k in 1 : K) {
      vector[K] from;
      for (j in 1 : K) {
        from[j] = forward[j] + log(transition[j, k]);
      }
      next[k] = log_sum_exp(from) + normal_lpdf(y[t] | mean[k], 1);
    }
    forward = next;
  }
  target += log_sum_exp(forward);
}
