// Prices of used cars by age and hundreds of kilometres, with the unit metric: Gelman, Hill and Vehtari, Regression and Other
// Stories, chapter 12 (transformations); Betancourt, "A Conceptual Introduction to Hamiltonian Monte Carlo", section 4.2;
// simulated. The scales of the parameters go from 0.0001 to 1, which the diagonal metric takes care of.
// sample: --metric unit_e
// expect: tree_depth
// may: level per_year per_hundred sigma
// remedy: --metric diag_e
data {
  int<lower=1> N;
  vector[N] hundreds;
  vector[N] age;
  vector[N] log_price;
}
parameters {
  real level;
  real per_year;
  real per_hundred;
  real<lower=0> sigma;
}
model {
  level ~ normal(10, 1);
  per_year ~ normal(0, 1);
  per_hundred ~ normal(0, 0.01);
  sigma ~ normal(0, 1);
  log_price ~ normal(level + per_year * age + per_hundred * hundreds, sigma);
}
