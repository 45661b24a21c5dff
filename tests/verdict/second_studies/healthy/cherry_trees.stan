// Timber of black cherry trees by diameter and height, logarithms not centred, so that the coefficients are highly correlated
// but well drawn: Ryan, Joiner and Ryan, Minitab Student Handbook (1976); Gelman and Hill, chapter 4 (log-log models).
data {
  int<lower=1> N;
  vector<lower=0>[N] diameter;
  vector<lower=0>[N] height;
  vector<lower=0>[N] volume;
}
parameters {
  real alpha;
  real beta;
  real gamma;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(-6, 3);
  beta ~ normal(2, 1);
  gamma ~ normal(1, 1);
  sigma ~ normal(0, 0.5);
  log(volume) ~ normal(alpha + beta * log(diameter / 12) + gamma * log(height), sigma);
}
generated quantities {
  int trees = N;
  real cubic_metres = 0.0283168 * exp(alpha + gamma * log(70));
}
