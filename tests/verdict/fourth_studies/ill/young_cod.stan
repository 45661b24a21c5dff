// Length of young cod by age, the curve of von Bertalanffy with flat priors: Quinn and Deriso, Quantitative Fish Dynamics (1999),
// chapter 4; simulated. The fish are so young that they grow along a straight line, and so does the curve however long the oldest
// fish.
// expect: improper longest/k
// expect: flat_direction longest k
// may: longest k
data {
  int<lower=1> N;
  vector[N] age;
  vector[N] length_cm;
}
parameters {
  real<lower=0> longest;
  real<lower=0> k;
  real<lower=0> sigma;
}
model {
  length_cm ~ normal(-longest * expm1(-k * age), sigma);
}
