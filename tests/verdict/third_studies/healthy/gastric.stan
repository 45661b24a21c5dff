// Survival with gastric cancer under two therapies, Weibull with censoring, and how many times longer half of the patients live:
// Collett, Modelling Survival Data in Medical Research (2015), chapter 5; simulated.
data {
  int<lower=1> N;
  vector<lower=0>[N] months;
  array[N] int<lower=0, upper=1> died;
  vector[N] therapy;
}
parameters {
  real<lower=0> shape;
  real log_scale;
  real gain;
}
model {
  shape ~ lognormal(0, 0.5);
  log_scale ~ normal(2.5, 1);
  gain ~ normal(0, 1);
  for (n in 1:N) {
    real scale = exp(log_scale + gain * therapy[n]);
    if (died[n]) {
      months[n] ~ weibull(shape, scale);
    } else {
      target += weibull_lccdf(months[n] | shape, scale);
    }
  }
}
generated quantities {
  real hazard_ratio = exp(-shape * gain);
  vector[2] median_months = pow(log(2), 1 / shape) * exp(log_scale + gain * [0, 1]');
  real next_patient = weibull_rng(shape, exp(log_scale));
}
