// Old Faithful by ten components, each with standard deviations and a correlation [murphy2023, 10.3.5]: the mode uses all components, and draws of
// the best normal distribution a few of them.
//   credo optimize examples/texts/faithful_lkj.stan --data examples/texts/faithful.json --jacobian
//   credo approximate examples/texts/faithful_lkj.stan --data examples/texts/faithful.json --method normal --covariance diagonal
data {
  int<lower=1> N;
  vector[N] eruptions;
  vector[N] waiting;
}
transformed data {
  int num_components = 10;
  array[N] vector[2] x;
  for (n in 1:N) {
    x[n, 1] = (eruptions[n] - mean(eruptions)) / sd(eruptions);
    x[n, 2] = (waiting[n] - mean(waiting)) / sd(waiting);
  }
}
parameters {
  simplex[num_components] theta;
  array[num_components] vector[2] mu;
  array[num_components] vector<lower=0>[2] sigma;
  array[num_components] cholesky_factor_corr[2] R;
}
model {
  theta ~ dirichlet(rep_vector(1.0 / num_components, num_components));
  for (k in 1:num_components) {
    mu[k] ~ normal(0, 1);
    sigma[k] ~ normal(0, 1);
    R[k] ~ lkj_corr_cholesky(1);
  }
  for (n in 1:N) {
    vector[num_components] lp = log(theta);
    for (k in 1:num_components)
      lp[k] += multi_normal_cholesky_lpdf(x[n] | mu[k], diag_pre_multiply(sigma[k], R[k]));
    target += log_sum_exp(lp);
  }
}
