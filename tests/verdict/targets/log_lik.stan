parameters {
  real mu;
}
model {
  mu ~ normal(0.3, 0.5);
}
generated quantities {
  real log_lik = normal_lpdf(1.2 | mu, 1);
}
