// Reciprocal of creatinine by day after a transplant, a line that bends on a day which is summed out: Smith and Cook, Applied Statistics 29 (1980); West and Harrison, Bayesian Forecasting and Dynamic Models (1997); simulated. Accused: the day as a whole number, chances of days that are nearly nought, a forecast outside.
data {
  int<lower=10> T;
  vector[T] y;
}
parameters {
  real level;
  real slope;
  real bend;
  real<lower=0> sigma;
}
transformed parameters {
  vector[T - 8] log_day;
  for (s in 1:(T - 8)) {
    log_day[s] = -log(T - 8);
    for (t in 1:T) {
      log_day[s] += normal_lpdf(y[t] | level + slope * t + bend * fmax(0, t - s - 4), sigma);
    }
  }
}
model {
  level ~ normal(2, 2);
  slope ~ normal(0, 0.3);
  bend ~ normal(0, 0.5);
  sigma ~ normal(0, 1);
  target += log_sum_exp(log_day);
}
generated quantities {
  int day = 4 + categorical_logit_rng(log_day);
  vector[T - 8] chance_of_day = softmax(log_day);
  real day_of_rejection = day + (level + slope * day - 1) / -(slope + bend);
}
