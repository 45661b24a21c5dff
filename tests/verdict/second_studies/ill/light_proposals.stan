// Location of eleven measurements with heavy tails, by an independence sampler whose proposals have lighter tails than the
// posterior: Mengersen and Tweedie, Annals of Statistics 24 (1996); Robert and Casella, Monte Carlo Statistical Methods,
// section 7.4; simulated. A chain that has come to the tail stays there.
// sample: --sampler independence --inflate 0.3
// expect: stuck_chain
// expect: not_mixed
// may: location scale
// remedy: --sampler nuts
data {
  int<lower=1> N;
  vector[N] x;
}
parameters {
  real location;
  real<lower=0> scale;
}
model {
  location ~ normal(0, 10);
  scale ~ normal(0, 5);
  x ~ student_t(3, location, scale);
}
