// A hierarchy with centring, where each group has data enough for it.
data {
  int<lower=1> J;
  int<lower=1> N;
  array[N] int<lower=1, upper=J> county;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] alpha;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 5);
  tau ~ normal(0, 2);
  alpha ~ normal(mu, tau);
  sigma ~ normal(0, 2);
  y ~ normal(alpha[county], sigma);
}
