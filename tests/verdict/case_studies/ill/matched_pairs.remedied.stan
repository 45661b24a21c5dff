// Matched pairs of a case and a control, in all of which the case was exposed more: Breslow and Day, Statistical Methods in Cancer
// Research, volume 1, chapter 7; simulated. With a Cauchy prior, as Gelman et al. (2008) proposed, the coefficient of separated
// data has no mean (Ghosh, Li and Mitra, 2018).
// Remedied: a normal prior.
data {
  int<lower=1> N;
  vector[N] difference;
}
parameters {
  real beta;
}
model {
  beta ~ normal(0, 2.5);
  target += log_inv_logit(beta * difference);
}
