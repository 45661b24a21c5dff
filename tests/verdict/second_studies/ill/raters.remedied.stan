// Two raters' standardised scores of six essays, correlation without its bounds: Lee and Wagenmakers, Bayesian Cognitive
// Modeling (2013), chapter 5; simulated. Remedied.
data {
  int<lower=1> N;
  array[N] vector[2] score;
}
parameters {
  real<lower=-1, upper=1> rho;
}
model {
  rho ~ normal(0, 1);
  score ~ multi_normal(rep_vector(0, 2), [[1, rho], [rho, 1]]);
}
