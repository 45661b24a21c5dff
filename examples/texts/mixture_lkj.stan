// A mixture of K normal distributions in the plane, their labels summed out, with LKJ priors of the correlations [murphy2023, 10.3.5]. A sparse
// Dirichlet prior leaves two of ten components, also under a variational posterior. Data are simulated: two clusters.
//   credo approximate examples/texts/mixture_lkj.stan --data examples/texts/mixture_lkj.json --covariance diagonal
data {
  int<lower=1> N;
  int<lower=1> K;
  array[N] vector[2] y;
}
parameters {
  simplex[K] weight;
  array[K] vector[2] centre;
  array[K] cholesky_factor_corr[2] correlation;
  array[K] vector<lower=0>[2] scale;
}
model {
  weight ~ dirichlet(rep_vector(1.0 / K, K));
  for (k in 1:K) {
    centre[k] ~ normal(0, 1);
    correlation[k] ~ lkj_corr_cholesky(1);
    scale[k] ~ normal(0, 1);
  }
  for (n in 1:N) {
    vector[K] terms = log(weight);
    for (k in 1:K)
      terms[k] += multi_normal_cholesky_lpdf(y[n] | centre[k], diag_pre_multiply(scale[k], correlation[k]));
    target += log_sum_exp(terms);
  }
}
