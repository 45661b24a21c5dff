data {
  vector[8] y;
  vector[8] se;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[8] theta;
}
model {
  mu ~ normal(0, 5);
  tau ~ cauchy(0, 5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, se);
}
