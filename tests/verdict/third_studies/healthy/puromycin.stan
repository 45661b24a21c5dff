// Velocity of an enzyme by concentration, Michaelis and Menten: Bates and Watts, Nonlinear Regression Analysis (1988), appendix
// 1; simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] concentration;
  vector[N] velocity;
}
parameters {
  real<lower=0> Vmax;
  real<lower=0> Km;
  real<lower=0> sigma;
}
model {
  Vmax ~ normal(200, 100);
  Km ~ lognormal(-2.5, 1);
  sigma ~ normal(0, 20);
  velocity ~ normal(Vmax * concentration ./ (Km + concentration), sigma);
}
generated quantities {
  real efficiency = Vmax / Km;
}
