// Lives of power transformers that are known only if they still worked in 1980 and did not all fail by 2008, truncated and censored: Hong, Meeker and McCalley, Annals of Applied Statistics 3 (2009); simulated. Accused: truncated and censored data, remaining lives that differ by machine, numbers of failures.
data {
  int<lower=1> N;
  vector<lower=0>[N] age_at_entry;
  vector<lower=0>[N] age;
  array[N] int<lower=0, upper=1> failed;
}
parameters {
  real<offset=3.8, multiplier=0.2> log_scale;
  real<lower=0> shape;
}
transformed parameters {
  real scale = exp(log_scale);
}
model {
  log_scale ~ normal(3.8, 0.5);
  shape ~ lognormal(1, 0.5);
  target += -sum((age / scale) ^ shape) + sum((age_at_entry / scale) ^ shape);
  for (n in 1:N) {
    if (failed[n]) {
      target += log(shape) - log_scale + (shape - 1) * (log(age[n]) - log_scale);
    }
  }
}
generated quantities {
  int failures_in_five_years = 0;
  vector[N] age_at_failure;
  for (n in 1:N) {
    if (failed[n]) {
      age_at_failure[n] = age[n];
    } else {
      age_at_failure[n] = scale * ((age[n] / scale) ^ shape + exponential_rng(1)) ^ (1 / shape);
      failures_in_five_years += age_at_failure[n] < age[n] + 5;
    }
  }
}
