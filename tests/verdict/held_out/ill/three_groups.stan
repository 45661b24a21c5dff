// Reaction times from three overlapping groups, all with one prior.
// expect: label_switching mu
// may: share
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  simplex[3] share;
  vector[3] mu;  // here
}
model {
  share ~ dirichlet([4, 4, 4]');
  mu ~ normal(0, 5);  // here
  for (i in 1:N) {
    vector[3] lp = log(share);
    for (k in 1:3)
      lp[k] += normal_lpdf(y[i] | mu[k], 1);  // here
    target += log_sum_exp(lp);  // here
  }
}
