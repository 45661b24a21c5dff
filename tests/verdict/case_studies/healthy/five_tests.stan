// One factor behind five tests, integrated out, loadings positive: Lawley and Maxwell, Factor Analysis as a Statistical Method;
// Lee, Structural Equation Modeling: A Bayesian Approach; simulated, only the covariance of the scores is kept.
data {
  int<lower=2> D;
  int<lower=1> N;
  cov_matrix[D] scatter;
}
parameters {
  vector<lower=0>[D] loading;
  vector<lower=0>[D] sigma;
}
model {
  matrix[D, D] Sigma = add_diag(loading * loading', square(sigma));
  loading ~ normal(0, 1);
  sigma ~ normal(0, 1);
  scatter ~ wishart(N - 1, Sigma);
}
generated quantities {
  vector<lower=0, upper=1>[D] communality = square(loading) ./ (square(loading) + square(sigma));
  real reliability = square(sum(loading)) / (square(sum(loading)) + sum(square(sigma)));
}
