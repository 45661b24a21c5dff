// A hierarchy without centring, of groups that differ.
data {
  int<lower=1> J;
  int<lower=1> N;
  array[N] int<lower=1, upper=J> school;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] z;
  real<lower=0> sigma;
}
transformed parameters {
  vector[J] theta = mu + tau * z;
}
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 3);
  z ~ std_normal();
  sigma ~ normal(0, 3);
  y ~ normal(theta[school], sigma);
}
