// Logarithms of furs of hares, an autoregression within its stationary range, with a forecast of ten years: Chatfield, The
// Analysis of Time Series (2003); simulated.
data {
  int<lower=2> T;
  vector[T] y;
  int<lower=1> H;
}
parameters {
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 2);
  phi ~ normal(0, 0.7);
  sigma ~ normal(0, 1);
  y[1] ~ normal(mu, sigma / sqrt(1 - square(phi)));
  y[2:T] ~ normal(mu + phi * (y[1:T - 1] - mu), sigma);
}
generated quantities {
  vector[H] furs;
  {
    real last = y[T];
    for (h in 1:H) {
      last = normal_rng(mu + phi * (last - mu), sigma);
      furs[h] = exp(8 + last);
    }
  }
  real spread = sigma / sqrt(1 - square(phi));
}
