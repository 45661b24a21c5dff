// The age of a charcoal sample from its radiocarbon age, where the calibration curve goes down for a while: Buck, Cavanagh and
// Litton, Bayesian Approach to Interpreting Archaeological Data (1996), chapter 9; curve and sample made up. Three calendar
// ages fit, decades apart. Remedied.
data {
  real<lower=0> measured;
  real<lower=0> error;
}
parameters {
  real<offset=140, multiplier=20> age;
}
model {
  age ~ normal(140, 20);  // of the find's stratum
  measured ~ normal(2500 + 0.6 * age - 160 * sin(age / 50), error);
}
