// Potency of a drug beside a standard as the ratio of two small slopes, the problem of Fieller and Creasy: Finney, Statistical
// Method in Biological Assay (1978), chapter 4; simulated. The ratio as an output has no mean, which is no illness of the run.
data {
  int<lower=1> N;
  vector[N] standard;
  vector[N] drug;
}
parameters {
  real alpha;
  real slope_standard;
  real slope_drug;
  real<lower=0> sigma;
}
model {
  vector[N] dose = linspaced_vector(N, -1, 1);
  alpha ~ normal(0, 5);
  slope_standard ~ normal(0, 2);
  slope_drug ~ normal(0, 2);
  sigma ~ normal(0, 2);
  standard ~ normal(alpha + slope_standard * dose, sigma);
  drug ~ normal(alpha + slope_drug * dose, sigma);
}
generated quantities {
  real potency = slope_drug / slope_standard;
}
