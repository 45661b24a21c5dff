// Metabolic rates of mammals by mass in logarithms; Kleiber's three quarters was taken as the least that the exponent can be:
// White and Seymour, Proceedings of the National Academy of Sciences 100 (2003); simulated, with two thirds.
// expect: at_bound exponent
// may: sigma alpha
data {
  int<lower=1> N;
  vector[N] log_mass;
  vector[N] log_rate;
}
parameters {
  real alpha;
  real<lower=0.75, upper=1> exponent;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  exponent ~ uniform(0.75, 1);
  sigma ~ normal(0, 1);
  log_rate ~ normal(alpha + exponent * log_mass, sigma);
}
