data {
  vector[5] y;
  vector[5] se;
}
parameters {
  real<lower=0> tau;
  vector[5] theta;
}
model {
  tau ~ cauchy(0, 1);
  theta ~ normal(0, tau);
  y ~ normal(theta, se);
}
