// Skin folds of athletes as a skew normal distribution with a flat prior of its shape: Azzalini, The Skew-Normal and Related
// Families (2014), section 3.1; Liseo and Loperfido, Statistics and Probability Letters 61 (2003); simulated, half-normal. As the
// shape grows the likelihood tends to that of the half-normal distribution. Remedied: skewed to the right, as skin folds are.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real xi;
  real<lower=0> omega;
  real alpha;
}
model {
  xi ~ normal(2, 3);
  omega ~ lognormal(0.3, 0.5);
  alpha ~ normal(4, 2);
  y ~ skew_normal(xi, omega, alpha);
}
