// Monthly rates of unemployment as a local level whose steps are small beside the noise, levels as parameters: Harvey,
// Forecasting, Structural Time Series Models and the Kalman Filter (1989), chapter 4; Durbin and Koopman, chapter 2; simulated.
// Remedied.
data {
  int<lower=2> T;
  vector[T] rate;
}
parameters {
  real<lower=0> step;
  real<lower=0> noise;
}
model {
  real expected = 5;
  real spread = 1;
  step ~ normal(0, 0.5);
  noise ~ normal(0, 1);
  for (t in 1:T) {  // the Kalman filter: levels are summed out
    real gain = spread / (spread + square(noise));
    rate[t] ~ normal(expected, sqrt(spread + square(noise)));
    expected += gain * (rate[t] - expected);
    spread = spread * (1 - gain) + square(step);
  }
}
