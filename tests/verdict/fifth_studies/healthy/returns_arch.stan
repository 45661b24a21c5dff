// Returns of an exchange rate in percent, conditional variances by the last shock: Engle, Econometrica 50 (1982); Bauwens, Lubrano and Richard, Bayesian Inference in Dynamic Econometric Models (1999); simulated. Accused: a reaction between bounds, the stationary variance with a pole at one, forecasts with heavy tails.
data {
  int<lower=2> T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=0> base;
  real<lower=0, upper=1> reaction;
}
model {
  mu ~ normal(0, 1);
  base ~ normal(0, 2);
  reaction ~ beta(1, 1);
  y[2:T] ~ normal(mu, sqrt(base + reaction * square(y[1:(T - 1)] - mu)));
}
generated quantities {
  real variance = base / (1 - reaction);
  vector[20] forecast;
  vector[20] price;
  {
    real last = y[T];
    real log_price = 0;
    for (h in 1:20) {
      last = normal_rng(mu, sqrt(base + reaction * square(last - mu)));
      forecast[h] = last;
      log_price += last / 100;
      price[h] = exp(log_price);
    }
  }
  int worse_than_five = min(forecast) < -5;
}
