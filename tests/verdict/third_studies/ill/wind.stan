// Mean direction of the wind by forty readings in radians: Fisher, Statistical Analysis of Circular Data (1993); simulated. The
// direction is declared as any real number.
// expect: multimodal direction
data {
  int<lower=1> N;
  vector<lower=-pi(), upper=pi()>[N] reading;
}
parameters {
  real direction;
  real<lower=0> kappa;
}
model {
  direction ~ normal(0, 20);
  kappa ~ gamma(2, 0.3);
  reading ~ von_mises(direction, kappa);
}
