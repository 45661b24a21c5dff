// The program probit_multivariate.stan for two outcomes, with the normal variables integrated out by Owen's T function [owen1956].
//   credo sample examples/texts/probit_bivariate.stan --data examples/texts/probit_multivariate.json
functions {
  // log P(e_1 < a, e_2 < b) of standard normal variables with correlation r, a and b not 0.
  real log_both_below(real a, real b, real r) {
    real root = sqrt(1 - square(r));
    real half = a * b > 0 ? 0 : 0.5;
    return log(0.5 * (Phi(a) + Phi(b)) - owens_t(a, (b / a - r) / root)
               - owens_t(b, (a / b - r) / root) - half);
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
}
model {
  to_vector(w) ~ normal(0, 2);
  L ~ lkj_corr_cholesky(2);
  matrix[N, D] eta = X * w;
  for (n in 1:N) {
    real first = 2 * y[n, 1] - 1;
    real second = 2 * y[n, 2] - 1;
    target += log_both_below(first * eta[n, 1], second * eta[n, 2], first * second * L[2, 1]);
  }
}
generated quantities {
  matrix[D, D] correlation = multiply_lower_tri_self_transpose(L);
}
