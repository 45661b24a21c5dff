// Regression with twelve predictors and the horseshoe, centred: Carvalho, Polson and Scott (2010); Piironen and Vehtari (2017);
// simulated, three coefficients aren't zero.
// Remedied: a regularised form with lighter tails, not centred.
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  vector[N] y;
}
parameters {
  vector[K] z;
  vector<lower=0>[K] lambda;
  real<lower=0> tau;
  real<lower=0> sigma;
}
transformed parameters {
  vector[K] beta = tau * 3 * lambda .* z ./ sqrt(9 + square(tau * lambda));
}
model {
  tau ~ lognormal(-1, 0.5);
  lambda ~ lognormal(0, 1);
  z ~ std_normal();
  sigma ~ normal(0, 2);
  y ~ normal(X * beta, sigma);
}
