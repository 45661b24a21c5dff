// Length of a fatigue crack by hundred thousands of cycles, Paris' law with an exponent of four: Paris and Erdogan, Journal of
// Basic Engineering 85 (1963); Virkler, Hillberry and Goel (1979); simulated. With a rate that is too large the crack has no end
// before the last cycle, and the logarithm of what remains isn't a number.
// expect: initial_values log_rate
// expect: missing_constraint log_rate
// may: log_first sigma
data {
  int<lower=1> N;
  vector<lower=0>[N] cycles;
  vector[N] log_length;
}
parameters {
  real log_first;
  real log_rate;
  real<lower=0> sigma;
}
model {
  log_first ~ normal(2, 1);
  log_rate ~ normal(-2, 1);
  sigma ~ normal(0, 0.2);
  log_length ~ normal(log_first - log(1 - exp(log_rate) * cycles), sigma);
}
