// Mean wait in a queue with one counter by the rates of arrival and service: Armero and Bayarri, Journal of Statistical Planning
// and Inference 58 (1997), who show that the posterior mean doesn't exist; Gross et al., Fundamentals of Queueing Theory (2008).
// The wait divides by the difference of both rates, which may be zero.
// expect: heavy_tails mean_wait
// level: note
data {
  real<lower=0> hours;
  real<lower=0> hours_of_service;
  int<lower=0> arrivals;
  int<lower=0> served;
}
parameters {
  real<lower=0> arrival_rate;
  real<lower=0> service_rate;
}
model {
  arrival_rate ~ gamma(2, 0.2);
  service_rate ~ gamma(2, 0.2);
  arrivals ~ poisson(arrival_rate * hours);
  served ~ poisson(service_rate * hours_of_service);
}
generated quantities {
  real mean_wait = arrival_rate / (service_rate * (service_rate - arrival_rate));
}
