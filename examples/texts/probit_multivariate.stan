// Multivariate probit regression: D correlated 0/1 outcomes of a row, which are the signs of normal variables with correlations
// [chib1998]. Outcome d is 1 if e_d = (L z)_d > -eta_d. Given the z before it, z_d lies on one side of a bound, whose probability is a factor of
// the likelihood; u says where it lies there, between 0 and 1.
//   credo sample examples/texts/probit_multivariate.stan --data examples/texts/probit_multivariate.json
functions {
  real log_side(row_vector eta, array[] int y, matrix L, row_vector u) {
    int D = cols(eta);
    vector[D] z;
    real log_p = 0;
    for (d in 1:D) {
      real before = d == 1 ? 0 : dot_product(L[d, 1:(d - 1)], z[1:(d - 1)]);
      real bound = -(eta[d] + before) / L[d, d];
      real below = Phi(bound);
      log_p += y[d] == 1 ? log1m(below) : log(below);
      if (d < D) z[d] = inv_Phi(y[d] == 1 ? below + (1 - below) * u[d] : below * u[d]);
    }
    return log_p;
  }
}
data {
  int<lower=0> N;
  int<lower=2> D;
  int<lower=1> K;
  matrix[N, K] X;
  array[N, D] int<lower=0, upper=1> y;
}
parameters {
  matrix[K, D] w;
  cholesky_factor_corr[D] L;
  matrix<lower=0, upper=1>[N, D - 1] u;
}
model {
  to_vector(w) ~ normal(0, 2);
  L ~ lkj_corr_cholesky(2);
  matrix[N, D] eta = X * w;
  for (n in 1:N) target += log_side(eta[n], y[n], L, u[n]);
}
generated quantities {
  matrix[D, D] correlation = multiply_lower_tri_self_transpose(L);
}
