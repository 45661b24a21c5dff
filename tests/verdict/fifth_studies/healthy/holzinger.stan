// Nine tests of pupils and three abilities that are correlated, the abilities summed out and their standard deviations one: Holzinger and Swineford (1939); Joereskog, Psychometrika 34 (1969); simulated. Accused: a correlation matrix, factors whose sign would be free without the bounds, ones on a diagonal, zeros among the loadings.
data {
  int<lower=10> N;
  cov_matrix[9] S;
}
parameters {
  vector<lower=0>[9] loading;
  vector<lower=0>[9] unique_sd;
  corr_matrix[3] ability_correlation;
}
transformed parameters {
  matrix[9, 3] pattern = rep_matrix(0, 9, 3);
  for (k in 1:9) {
    pattern[k, 1 + (k - 1) %/% 3] = loading[k];
  }
  cov_matrix[9] Sigma = add_diag(quad_form_sym(ability_correlation, pattern'), square(unique_sd));
}
model {
  loading ~ normal(0.7, 0.5);
  unique_sd ~ normal(0.7, 0.5);
  ability_correlation ~ lkj_corr(2);
  (N - 1) * S ~ wishart(N - 1, Sigma);
}
generated quantities {
  vector[9] reliability = square(loading) ./ diagonal(Sigma);
  matrix[3, 3] root = cholesky_decompose(ability_correlation);
}
