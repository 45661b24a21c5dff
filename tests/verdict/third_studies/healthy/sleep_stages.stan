// Slow waves in a sleeper's brain, a hidden Markov model of two states with ordered means: Zucchini, MacDonald and Langrock,
// Hidden Markov Models for Time Series (2016); simulated.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  ordered[2] mu;
  vector<lower=0>[2] sigma;
  vector<lower=0, upper=1>[2] stay;
}
model {
  vector[2] a;
  matrix[2, 2] lg = log([[stay[1], 1 - stay[1]], [1 - stay[2], stay[2]]]);
  mu ~ normal(0, 3);
  sigma ~ lognormal(-0.5, 0.5);
  stay ~ beta(8, 2);
  for (k in 1:2) {
    a[k] = log(0.5) + normal_lpdf(y[1] | mu[k], sigma[k]);
  }
  for (t in 2:T) {
    vector[2] b;
    for (k in 1:2) {
      b[k] = log_sum_exp(a + lg[, k]) + normal_lpdf(y[t] | mu[k], sigma[k]);
    }
    a = b;
  }
  target += log_sum_exp(a);
}
generated quantities {
  vector[2] epochs = inv(1 - stay);
}
