// A price index in a hyperinflation, an autoregression whose coefficient is held below one: Cagan (1956) for the data; Congdon,
// Bayesian Statistical Modelling, chapter 8; simulated. The series explodes.
// Remedied: a prior around one that allows growth.
data {
  int<lower=2> T;
  vector[T] price;
}
parameters {
  real<lower=0> phi;
  real<lower=0> sigma;
}
model {
  phi ~ normal(1, 0.2);
  sigma ~ normal(0, 2);
  price[2:T] ~ normal(phi * price[1:T - 1], sigma);
}
