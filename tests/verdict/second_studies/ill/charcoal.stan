// The age of a charcoal sample from its radiocarbon age, where the calibration curve goes down for a while: Buck, Cavanagh and
// Litton, Bayesian Approach to Interpreting Archaeological Data (1996), chapter 9; curve and sample made up. Three calendar
// ages fit, decades apart.
// sample: --chains 8
// expect: multimodal age
data {
  real<lower=0> measured;
  real<lower=0> error;
}
parameters {
  real<lower=-300, upper=300> age;
}
model {
  measured ~ normal(2500 + 0.6 * age - 160 * sin(age / 50), error);
}
