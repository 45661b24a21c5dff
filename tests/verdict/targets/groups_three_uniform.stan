data {
  vector[3] y;
  vector[3] se;
}
parameters {
  real mu;
  real<lower=0, upper=20> tau;
  vector[3] theta;
}
model {
  mu ~ normal(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, se);
}
