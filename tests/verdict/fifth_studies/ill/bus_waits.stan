// Hours that a traveller waited for a bus on fifteen days, uniform from zero to the interval between buses: DeGroot, Optimal
// Statistical Decisions (1970), section 9.7; simulated. The interval is at least the longest wait, and its declaration doesn't say
// so.
// expect: missing_constraint interval
data {
  int<lower=1> N;
  vector<lower=0>[N] wait;
}
parameters {
  real<lower=0> interval;
}
model {
  interval ~ lognormal(0, 0.7);
  wait ~ uniform(0, interval);
}
