// Girths of five orange trees as logistic curves whose limits differ by tree: Draper and Smith, Applied Regression Analysis
// (1981); Lindstrom and Bates (1990); BUGS examples, volume 2, "Otrees".
data {
  int<lower=1> J;
  int<lower=1> T;
  vector<lower=0>[T] days;
  matrix<lower=0>[J, T] girth;
}
parameters {
  real<offset=190, multiplier=20> mean_limit;
  real<lower=0> spread;
  vector<offset=190, multiplier=40>[J] limit;
  real<offset=730, multiplier=50> half_time;
  real<offset=350, multiplier=40> scale_time;
  real<lower=0> sigma;
}
model {
  mean_limit ~ normal(190, 50);
  spread ~ normal(0, 50);
  limit ~ normal(mean_limit, spread);
  half_time ~ normal(700, 200);
  scale_time ~ normal(350, 100);
  sigma ~ normal(0, 20);
  for (j in 1:J) {
    girth[j] ~ normal(limit[j] * inv_logit((days' - half_time) / scale_time), sigma);
  }
}
generated quantities {
  real new_limit = normal_rng(mean_limit, spread);
}
