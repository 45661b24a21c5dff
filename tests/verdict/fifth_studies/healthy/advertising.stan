// Sales by advertising with a geometric lag, after Koyck; Palda, The Measurement of Cumulative Advertising Effects (1964); simulated. Accused: a ratio of coefficients whose denominator may be zero, long-run effects, half-lives, intercept and lag that are correlated.
data {
  int<lower=2> T;
  vector[T] sales;
  vector[T] advertising;
  vector[T] price;
}
parameters {
  real base;
  real<lower=0, upper=1> kept;
  real by_advertising;
  real by_price;
  real<lower=0> sigma;
}
model {
  base ~ normal(0, 5);
  kept ~ beta(2, 2);
  by_advertising ~ normal(0, 1);
  by_price ~ normal(0, 1);
  sigma ~ normal(0, 2);
  sales[2:T] ~ normal(base + kept * sales[1:(T - 1)] + by_advertising * advertising[2:T] + by_price * price[2:T], sigma);
}
generated quantities {
  real long_run = by_advertising / (1 - kept);
  real half_life = log(0.5) / log(kept);
  real advertising_per_price = by_advertising / by_price;
  vector[12] forecast;
  {
    real last = sales[T];
    for (h in 1:12) {
      last = normal_rng(base + kept * last + by_advertising * 5, sigma);
      forecast[h] = last;
    }
  }
}
