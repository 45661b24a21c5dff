// Masses of black holes by the spread of velocities in their galaxies, in logarithms, both with known errors: Kelly,
// Astrophysical Journal 665 (2007); simulated.
data {
  int<lower=1> N;
  vector[N] x;
  vector[N] y;
  vector<lower=0>[N] x_se;
  vector<lower=0>[N] y_se;
}
parameters {
  real nu;
  real<lower=0> tau;
  vector[N] truth;
  real alpha;
  real beta;
  real<lower=0> scatter;
}
model {
  nu ~ normal(0, 1);
  tau ~ normal(0, 1);
  truth ~ normal(nu, tau);
  alpha ~ normal(0, 5);
  beta ~ normal(0, 5);
  scatter ~ normal(0, 1);
  x ~ normal(truth, x_se);
  y ~ normal(alpha + beta * truth, sqrt(square(scatter) + square(y_se)));
}
