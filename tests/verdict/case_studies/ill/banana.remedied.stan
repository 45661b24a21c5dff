// A thin bent ridge: Rosenbrock (1960); Haario, Saksman and Tamminen (1999); as a regression on a latent square.
// Remedied: the distance from the ridge as the parameter.
data {
  real<lower=0> sd_ridge;
}
parameters {
  real x;
  real z;
}
transformed parameters {
  real y = square(x) + sd_ridge * z;
}
model {
  x ~ normal(1, 2);
  z ~ std_normal();
}
