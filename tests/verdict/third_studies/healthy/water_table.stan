// Height of ground water by months, a random walk seen with error; both standard deviations matter: Durbin and Koopman, Time
// Series Analysis by State Space Methods (2012), chapter 2; simulated. The states are integrated out by the Kalman filter.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real<lower=0> q;
  real<lower=0> r;
}
model {
  real m = y[1];
  real P = square(r);
  q ~ lognormal(-0.5, 0.7);
  r ~ lognormal(-0.5, 0.7);
  for (t in 2:T) {
    real F = P + square(q) + square(r);
    real gain = (P + square(q)) / F;
    y[t] ~ normal(m, sqrt(F));
    m += gain * (y[t] - m);
    P = (P + square(q)) * (1 - gain);
  }
}
generated quantities {
  real signal_to_noise = square(q) / square(r);
  real gain_in_the_end = 0.5 * (sqrt(square(signal_to_noise) + 4 * signal_to_noise) - signal_to_noise);
}
