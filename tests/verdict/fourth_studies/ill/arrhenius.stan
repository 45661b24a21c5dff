// Logarithm of the speed of a reaction by temperature, the law of Arrhenius, whose two parameters are the intercept at infinite
// temperature and the energy of activation in kJ/mol: Schwaab and Pinto, Chemical Engineering Science 62 (2007); simulated.
// Temperatures cover two degrees, far from infinity.
// expect: tree_depth log_factor/energy
// expect: flat_direction log_factor energy
// may: log_factor energy
// level: note
data {
  int<lower=1> N;
  vector[N] kelvin;
  vector[N] log_speed;
}
parameters {
  real log_factor;
  real energy;
  real<lower=0> sigma;
}
model {
  log_factor ~ normal(0, 1000);
  energy ~ normal(0, 1000);
  sigma ~ normal(0, 1);
  log_speed ~ normal(log_factor - energy / 0.0083145 * inv(kelvin), sigma);
}
