data {
  vector[3] y;
  vector[3] se;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[3] z;
}
transformed parameters {
  vector[3] theta = mu + tau * z;
}
model {
  mu ~ normal(0, 5);
  tau ~ exponential(1);
  z ~ normal(0, 1);
  y ~ normal(theta, se);
}
