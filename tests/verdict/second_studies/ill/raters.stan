// Two raters' standardised scores of six essays, correlation without its bounds: Lee and Wagenmakers, Bayesian Cognitive
// Modeling (2013), chapter 5; simulated.
// expect: missing_constraint rho
data {
  int<lower=1> N;
  array[N] vector[2] score;
}
parameters {
  real rho;  // here
}
model {
  rho ~ normal(0, 1);  // here
  score ~ multi_normal(rep_vector(0, 2), [[1, rho], [rho, 1]]);  // here
}
