// Clotting times of blood by concentration of plasma and lot of the agent, gamma regression with an inverse link: McCullagh and
// Nelder, Generalized Linear Models (1989), section 8.4.2. The shape is large, the linear part stays positive by data.
data {
  int<lower=1> N;
  vector<lower=0>[N] concentration;
  array[2] vector<lower=0>[N] seconds;
}
transformed data {
  vector[N] x = log(concentration / 25);
}
parameters {
  vector<lower=0>[2] alpha;
  vector<lower=0>[2] beta;
  real<lower=0> dispersion;
}
model {
  alpha ~ normal(0, 0.1);
  beta ~ normal(0, 0.1);
  dispersion ~ exponential(10);
  for (k in 1:2) {
    vector[N] rate = alpha[k] + beta[k] * (x + 2);
    seconds[k] ~ gamma(inv(dispersion), rate / dispersion);
  }
}
generated quantities {
  real lots_ratio = beta[2] / beta[1];
}
