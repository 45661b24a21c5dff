// The same deaths, with another ratio of smokers to non-smokers at each age.
data {
  int<lower=0> N;
  int<lower=1> num_age, num_smoker;
  array[N] int<lower=1, upper=num_age> age;
  array[N] int<lower=1, upper=num_smoker> smoker;
  array[N] int<lower=0> deaths;
  vector[N] person_years;
}
parameters {
  vector[num_age] log_rate;
  real log_ratio, trend;  // trend: how much it changes from an age to the next
}
model {
  log_rate ~ normal(1, 2);
  log_ratio ~ normal(0, 1);
  trend ~ normal(0, 0.5);
  deaths ~ poisson_log(log(person_years / 1000) + log_rate[age]
                       + (log_ratio + trend * (to_vector(age) - 3)) .* (to_vector(smoker) - 1));
}
generated quantities {
  vector[num_age] ratio = exp(log_ratio + trend * (linspaced_vector(num_age, 1, num_age) - 3));
  // deaths of smokers a thousand person-years, beyond those of non-smokers
  vector[num_age] excess = exp(log_rate) .* (ratio - 1);
}
