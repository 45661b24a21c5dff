// Sensitivity and specificity of a scan in twelve studies, bivariate normal on the logit scale: Reitsma et al., Journal of
// Clinical Epidemiology 58 (2005); simulated. The studies are small and hardly differ.
// expect: funnel tau/effect
// may: tau effect mu L
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
  array[J] vector[2] effect;
}
model {
  mu ~ normal(0, 2);
  tau ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
  effect ~ multi_normal_cholesky(mu, diag_pre_multiply(tau, L));
  for (j in 1:J) {
    true_positive[j] ~ binomial_logit(ill[j], effect[j][1]);
    true_negative[j] ~ binomial_logit(well[j], effect[j][2]);
  }
}
