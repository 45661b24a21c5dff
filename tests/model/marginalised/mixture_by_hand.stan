data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real<lower=0, upper=1> share;
  ordered[2] mu;
  real<lower=0> sigma;
}
transformed parameters {
  matrix[2, N] l;
  for (n in 1:N) {
    l[1, n] = log(share) + normal_lpdf(y[n] | mu[1], sigma);
    l[2, n] = log1m(share) + normal_lpdf(y[n] | mu[2], sigma);
  }
}
model {
  share ~ beta(2, 2);
  mu ~ normal(0, 3);
  sigma ~ normal(0, 2);
  for (n in 1:N) {
    target += log_sum_exp(l[, n]);
  }
}
generated quantities {
  vector[N] p;
  for (n in 1:N) {
    p[n] = softmax(l[, n])[1];
  }
}
