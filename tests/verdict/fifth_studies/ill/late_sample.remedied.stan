// Amount of a tracer at the start from one precise measurement ten days later, with a rate of decay that is roughly known:
// Jacquez, Compartmental Analysis in Biology and Medicine (1996), on identifiability; made up. The posterior is a thin bent ridge.
// Remedied: today's amount as the parameter.
data {
  real measured;
  real<lower=0> error;
}
parameters {
  real<offset=measured, multiplier=error> now;
  real rate;
}
transformed parameters {
  real start = now * exp(10 * rate);
}
model {
  target += 10 * rate;  // priors are those of start and rate
  start ~ normal(20, 20);
  rate ~ normal(0.3, 0.1);
  measured ~ normal(now, error);
}
