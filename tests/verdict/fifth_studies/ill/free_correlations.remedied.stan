// Standardised scores of seventy pupils in five subjects, each correlation a number between -1 and 1 of its own: Barnard,
// McCulloch and Meng, Statistica Sinica 10 (2000); Lewandowski, Kurowicka and Joe, Journal of Multivariate Analysis 100 (2009);
// simulated. Most such numbers make no correlation matrix. Remedied: a matrix of correlations.
data {
  int<lower=1> N;
  int<lower=2> K;
  array[N] vector[K] score;
}
parameters {
  cholesky_factor_corr[K] L;
}
model {
  L ~ lkj_corr_cholesky(1);
  score ~ multi_normal_cholesky(rep_vector(0, K), L);
}
