// Nitrate in a river week by week, an autoregressive state seen with error, integrated out by Kalman's recursions: West and
// Harrison, Bayesian Forecasting and Dynamic Models (1997), chapter 4; simulated.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=0, upper=1> phi;
  real<lower=0> state_sd;
  real<lower=0> noise;
}
model {
  real m = 0;
  real v = square(state_sd) / (1 - square(phi));
  mu ~ normal(0, 5);
  phi ~ beta(4, 2);
  state_sd ~ lognormal(-0.5, 0.5);
  noise ~ lognormal(-0.5, 0.5);
  for (t in 1:T) {
    real s = v + square(noise);
    y[t] ~ normal(mu + m, sqrt(s));
    m = phi * (m + v / s * (y[t] - mu - m));
    v = square(phi) * v * square(noise) / s + square(state_sd);
  }
}
