// Stochastic volatility of an exchange rate: Kim, Shephard and Chib (1998); Stan User's Guide, "Time-series models"; the
// volatilities as innovations, twelve weeks of forecasts; simulated.
// sample: --adapt-delta 0.99
data {
  int<lower=2> T;
  int<lower=1> H;
  vector[T] change;
}
parameters {
  real mu;
  real<lower=0, upper=1> half_persistence;
  real<lower=0> sd_volatility;
  vector[T] innovation;
}
transformed parameters {
  real<lower=-1, upper=1> persistence = 2 * half_persistence - 1;
  vector[T] log_variance;
  log_variance[1] = mu + innovation[1];
  for (t in 2:T) {
    log_variance[t] = mu + persistence * (log_variance[t - 1] - mu) + sd_volatility * innovation[t];
  }
}
model {
  mu ~ normal(-1, 1);
  half_persistence ~ beta(40, 3);
  sd_volatility ~ lognormal(log(0.3), 0.4);
  innovation ~ std_normal();
  change ~ normal(0, exp(log_variance / 2));
}
generated quantities {
  vector[H] future_variance;
  vector[H] future_change;
  {
    real state = log_variance[T];
    for (h in 1:H) {
      state = normal_rng(mu + persistence * (state - mu), sd_volatility);
      future_variance[h] = exp(state);
      future_change[h] = normal_rng(0, exp(state / 2));
    }
  }
}
