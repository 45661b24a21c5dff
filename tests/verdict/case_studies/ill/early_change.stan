// A gradual change of the rate of accidents, whose year was declared to be before 1880: Carlin, Gelfand and Smith (1992), in
// smooth form; simulated with a change in 1892.
// expect: at_bound year_of_change
// may: log_early log_late
data {
  int<lower=1> T;
  vector[T] year;
  array[T] int<lower=0> accidents;
}
parameters {
  real<lower=1851, upper=1880> year_of_change;  // here
  real log_early;
  real log_late;
}
model {
  log_early ~ normal(1, 1);
  log_late ~ normal(0, 1);
  accidents ~ poisson_log(log_early + (log_late - log_early) * inv_logit((year - year_of_change) / 2));
}
