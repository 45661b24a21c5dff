// Logarithms of passengers of an airline by month, a level that walks with a drift, and a forecast of six months: Durbin and
// Koopman, Time Series Analysis by State Space Methods (2012), chapter 3; simulated.
// sample: --adapt-delta 0.9 --draws 2000
data {
  int<lower=2> T;
  vector[T] y;
  int<lower=1> H;
}
parameters {
  real drift;
  real<lower=0> step;
  real<lower=0> noise;
  vector[T] level;
}
model {
  level[1] ~ normal(5, 2);
  level[2:T] ~ normal(level[1:T - 1] + drift, step);
  drift ~ normal(0, 0.3);
  step ~ lognormal(-1, 0.5);
  noise ~ lognormal(-1, 0.5);
  y ~ normal(level, noise);
}
generated quantities {
  vector[H] forecast;
  {
    real now = level[T];
    for (h in 1:H) {
      now += normal_rng(drift, step);
      forecast[h] = exp(normal_rng(now, noise));
    }
  }
}
