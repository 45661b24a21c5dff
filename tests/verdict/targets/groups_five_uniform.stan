data {
  vector[5] y;
  vector[5] se;
}
parameters {
  real mu;
  real<lower=0, upper=10> tau;
  vector[5] theta;
}
model {
  mu ~ normal(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, se);
}
