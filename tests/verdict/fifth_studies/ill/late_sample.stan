// Amount of a tracer at the start from one precise measurement ten days later, with a rate of decay that is roughly known:
// Jacquez, Compartmental Analysis in Biology and Medicine (1996), on identifiability; made up. The posterior is a thin bent ridge.
// expect: flat_direction start rate
// expect: tree_depth start/rate
// expect: divergences start/rate
// expect: missing_mass start/rate
// may: start rate
data {
  real measured;
  real<lower=0> error;
}
parameters {
  real start;
  real rate;
}
model {
  start ~ normal(20, 20);
  rate ~ normal(0.3, 0.1);
  measured ~ normal(start * exp(-10 * rate), error);
}
