// Monthly rates of unemployment as a local level whose steps are small beside the noise, levels as parameters: Harvey,
// Forecasting, Structural Time Series Models and the Kalman Filter (1989), chapter 4; Durbin and Koopman, chapter 2; simulated.
// expect: funnel step/level
// expect: divergences step/level
// expect: low_energy_exchange step
// expect: missing_mass step/level
// may: step level
data {
  int<lower=2> T;
  vector[T] rate;
}
parameters {
  vector[T] level;
  real<lower=0> step;
  real<lower=0> noise;
}
model {
  step ~ normal(0, 0.5);
  noise ~ normal(0, 1);
  level[1] ~ normal(5, 1);
  level[2:T] ~ normal(level[1:T - 1], step);
  rate ~ normal(level, noise);
}
