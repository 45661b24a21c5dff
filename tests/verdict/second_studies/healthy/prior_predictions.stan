// Prior predictions of a growth study, before any data: Gabry et al., Journal of the Royal Statistical Society A 182 (2019);
// McElreath, Statistical Rethinking, chapter 4. Every constraint type has a proper prior; predictions have heavy tails.
// sample: --adapt-delta 0.95
parameters {
  simplex[3] share;
  ordered[3] cut;
  positive_ordered[2] rate;
  cholesky_factor_corr[3] L;
  cholesky_factor_cov[2] S;
  unit_vector[3] direction;
  real<lower=0, upper=1> p;
  real<offset=1e6, multiplier=1e5> big;
  real<lower=0> scale;
}
model {
  share ~ dirichlet([2, 3, 4]);
  cut ~ normal(0, 2);
  rate ~ gamma(2, 1);
  L ~ lkj_corr_cholesky(2);
  diagonal(S) ~ lognormal(0, 0.5);
  S[2, 1] ~ normal(0, 1);
  p ~ beta(2, 2);
  big ~ normal(1e6, 1e5);
  scale ~ student_t(4, 0, 1);
}
generated quantities {
  real ratio = normal_rng(0, 1) / normal_rng(0, 1);
  real height = cauchy_rng(0, scale);
  real exponential_growth = exp(2 * rate[2]);
  matrix[3, 3] R = L * L';
  int births = poisson_rng(rate[1]);
  int zero = 0;
}
