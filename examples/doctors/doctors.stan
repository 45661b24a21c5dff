// Coronary deaths of British doctors: a Poisson regression with person-years at risk as the offset.
data {
  int<lower=0> N;  // cells of the table
  int<lower=1> num_age, num_smoker;
  array[N] int<lower=1, upper=num_age> age;
  array[N] int<lower=1, upper=num_smoker> smoker;  // 1 no, 2 yes
  array[N] int<lower=0> deaths;
  vector[N] person_years;
}
parameters {
  vector[num_age] log_rate;  // of non-smokers, a thousand person-years
  real log_ratio;            // of smokers to non-smokers
}
model {
  log_rate ~ normal(1, 2);
  log_ratio ~ normal(0, 1);
  deaths ~ poisson_log(log(person_years / 1000) + log_rate[age] + log_ratio * (to_vector(smoker) - 1));
}
generated quantities {
  real ratio = exp(log_ratio);
}
