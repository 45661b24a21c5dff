// Sales of ice cream, an autoregression with a forecast of six weeks of which the loop forgets the last: from questions on the
// Stan forum about NaN in generated quantities; simulated. Remedied.
data {
  int<lower=2> N;
  vector[N] sales;
  int<lower=1> H;
}
parameters {
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 2);
  phi ~ normal(0, 0.5);
  sigma ~ normal(0, 2);
  sales[2:N] ~ normal(mu + phi * (sales[1:N - 1] - mu), sigma);
}
generated quantities {
  vector[H] forecast;
  forecast[1] = normal_rng(mu + phi * (sales[N] - mu), sigma);
  for (h in 2:H) {
    forecast[h] = normal_rng(mu + phi * (forecast[h - 1] - mu), sigma);
  }
}
