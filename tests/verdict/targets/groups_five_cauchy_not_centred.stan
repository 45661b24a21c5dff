data {
  vector[5] y;
  vector[5] se;
}
parameters {
  real<lower=0> tau;
  vector[5] z;
}
transformed parameters {
  vector[5] theta = tau * z;
}
model {
  tau ~ cauchy(0, 1);
  z ~ normal(0, 1);
  y ~ normal(theta, se);
}
