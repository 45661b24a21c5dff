// A run of the prior alone, as in the prior predictive checks of Gabry et al. (2019), with the priors of Gelman (2006) and
// Stan's "Prior choice recommendations", one of each type.
// sample: --adapt-delta 0.95
data {
  int<lower=2> K;
}
parameters {
  real<lower=0> sd_effect;
  real<lower=1> income;
  real slope;
  simplex[K] share;
  ordered[K] cut;
  positive_ordered[K] threshold;
  unit_vector[3] direction;
  corr_matrix[3] Omega;
  cholesky_factor_corr[3] L;
  real<lower=0, upper=1> p;
  real<lower=-pi(), upper=pi()> angle;
}
model {
  sd_effect ~ student_t(3, 0, 2.5);
  income ~ pareto(1, 3);
  slope ~ student_t(3, 0, 1);
  share ~ dirichlet(rep_vector(0.8, K));
  cut ~ normal(0, 2);
  threshold ~ exponential(0.5);
  Omega ~ lkj_corr(1);
  L ~ lkj_corr_cholesky(3);
  p ~ beta(0.5, 0.5);
}
generated quantities {
  real effect = normal_rng(0, sd_effect);
  real outcome = cauchy_rng(slope, sd_effect);
  real odds = p / (1 - p);
  int events = binomial_rng(20, p);
}
