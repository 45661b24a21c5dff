data {
  int<lower=0> N;
  vector[N] y;
}
parameters {
  real mu;
  real sigma;
  real<lower=0> tau;
  real unused;
}
transformed parameters {
  real v = square(tau);
  vector[2] never;
}
model {
  y ~ normal(mu, sigma);
  log(tau) ~ normal(0, 1);
  v ~ inv_gamma(1, 1);
  mu ~ normal(never[1], 1);
}
// expect warning: unused-parameter 9:8
// expect warning: never-assigned 13:13
// expect warning: parameter-without-bound 16:18
// expect warning: missing-jacobian 17:3
// expect warning: missing-jacobian 18:3
