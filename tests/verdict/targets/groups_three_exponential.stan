data {
  vector[3] y;
  vector[3] se;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[3] theta;
}
model {
  mu ~ normal(0, 5);
  tau ~ exponential(1);
  theta ~ normal(mu, tau);
  y ~ normal(theta, se);
}
