// Numbers of people on earth by time (in centuries) as a hyperbola that ends on a day of doom: von Foerster, Mora and Amiot,
// Science 132 (1960); simulated. The day is after the last count, and its declaration doesn't say so, so that hardly any start is
// a possible one. Remedied.
data {
  int<lower=1> N;
  vector[N] century;
  vector[N] log_people;
}
parameters {
  real alpha;
  real<lower=max(century)> doomsday;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 2);
  doomsday ~ normal(3, 2);
  sigma ~ normal(0, 0.5);
  log_people ~ normal(alpha - log(doomsday - century), sigma);
}
