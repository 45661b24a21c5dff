// Flow of the Nile, a local level with the states integrated out and a forecast of twenty years: Durbin and Koopman, Time
// Series Analysis by State Space Methods, chapter 2.
data {
  int<lower=1> T;
  int<lower=1> H;
  vector[T] flow;
}
parameters {
  real<lower=0> sd_level;
  real<lower=0> sd_flow;
}
transformed parameters {
  real log_likelihood = 0;
  real level = 1000;
  real variance = square(300);
  for (t in 1:T) {
    real total = variance + square(sd_flow);
    real gain = variance / total;
    log_likelihood += normal_lpdf(flow[t] | level, sqrt(total));
    level += gain * (flow[t] - level);
    variance = variance * (1 - gain) + square(sd_level);
  }
}
model {
  sd_level ~ normal(0, 100);
  sd_flow ~ normal(0, 200);
  target += log_likelihood;
}
generated quantities {
  vector[H] forecast;
  {
    real state = normal_rng(level, sqrt(variance));
    for (h in 1:H) {
      forecast[h] = normal_rng(state, sd_flow);
      state = normal_rng(state, sd_level);
    }
  }
}
