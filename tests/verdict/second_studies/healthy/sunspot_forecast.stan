// Sunspots (square roots, centred) as an autoregression of order two with a forecast of twenty years whose spread grows: Yule,
// Philosophical Transactions A 226 (1927); Prado and West, Time Series (2010), chapter 2; simulated.
data {
  int<lower=3> T;
  vector[T] y;
  int<lower=1> H;
}
parameters {
  real mu;
  real phi1;
  real phi2;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 1);
  phi1 ~ normal(1, 0.5);
  phi2 ~ normal(-0.5, 0.5);
  sigma ~ normal(0, 2);
  y[3:T] ~ normal(mu + phi1 * y[2:T - 1] + phi2 * y[1:T - 2], sigma);
}
generated quantities {
  vector[H] forecast;
  vector[H] walk;
  forecast[1] = normal_rng(mu + phi1 * y[T] + phi2 * y[T - 1], sigma);
  forecast[2] = normal_rng(mu + phi1 * forecast[1] + phi2 * y[T], sigma);
  walk[1:2] = forecast[1:2];
  for (h in 3:H) {
    forecast[h] = normal_rng(mu + phi1 * forecast[h - 1] + phi2 * forecast[h - 2], sigma);
    walk[h] = walk[h - 1] + forecast[h];
  }
  real period = 2 * pi() / acos(fmin(0.999, fmax(-0.999, phi1 / (2 * sqrt(fmax(1e-6, -phi2))))));
}
