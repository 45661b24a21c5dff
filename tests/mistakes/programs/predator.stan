// Hares and lynxes: counts around the solution of an ordinary differential equation.
functions {
  vector change(real t, vector z, real alpha, real beta, real gamma, real delta) {
    return [(alpha - beta * z[2]) * z[1], (delta * z[1] - gamma) * z[2]]';
  }
}
data {
  int<lower=1> N;
  array[N] real ts;
  array[N] vector[2] y;
}
parameters {
  real<lower=0> alpha;
  real<lower=0> beta;
  real<lower=0> gamma;
  real<lower=0> delta;
  vector<lower=0>[2] z0;
  real<lower=0> sigma;
}
transformed parameters {
  array[N] vector[2] z = ode_rk45(change, z0, 0, ts, alpha, beta, gamma, delta);
}
model {
  alpha ~ normal(1, 0.5);
  gamma ~ normal(1, 0.5);
  beta ~ normal(0.05, 0.05);
  delta ~ normal(0.05, 0.05);
  z0 ~ lognormal(2, 1);
  sigma ~ lognormal(-1, 1);
  for (n in 1:N) {
    y[n] ~ lognormal(log(z[n]), sigma);
  }
}
