// Decline of a drug's concentration in two phases, the rates in any order: Gibaldi and Perrier, Pharmacokinetics; Bates and
// Watts, Nonlinear Regression Analysis; simulated.
// sample: --chains 8
// expect: label_switching rate
// may: amount
data {
  int<lower=1> N;
  vector<lower=0>[N] hour;
  vector<lower=0>[N] concentration;
}
parameters {
  vector<lower=0>[2] amount;
  vector<lower=0>[2] rate;
  real<lower=0> sigma;
}
model {
  amount ~ lognormal(1, 1);
  rate ~ lognormal(-0.7, 1.2);
  sigma ~ normal(0, 0.3);
  concentration ~ lognormal(log(amount[1] * exp(-rate[1] * hour) + amount[2] * exp(-rate[2] * hour)), sigma);
}
