// Sensitivity and specificity of a scan in twelve studies, bivariate normal on the logit scale: Reitsma et al., Journal of
// Clinical Epidemiology 58 (2005); simulated. The studies are small and hardly differ. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=1> J;
  array[J] int<lower=0> ill;
  array[J] int<lower=0> well;
  array[J] int<lower=0> true_positive;
  array[J] int<lower=0> true_negative;
}
parameters {
  vector[2] mu;
  vector<lower=0>[2] tau;
  cholesky_factor_corr[2] L;
  matrix[2, J] z;
}
transformed parameters {
  matrix[2, J] effect = rep_matrix(mu, J) + diag_pre_multiply(tau, L) * z;
}
model {
  mu ~ normal(0, 2);
  tau ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
  to_vector(z) ~ std_normal();
  for (j in 1:J) {
    true_positive[j] ~ binomial_logit(ill[j], effect[1, j]);
    true_negative[j] ~ binomial_logit(well[j], effect[2, j]);
  }
}
