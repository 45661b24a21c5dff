// Three lognormal losses joined by a normal copula: Nelsen, An Introduction to Copulas; Joe, Dependence Modeling with Copulas;
// simulated.
data {
  int<lower=1> N;
  int<lower=1> D;
  array[N] vector<lower=0>[D] loss;
}
parameters {
  vector[D] mu;
  vector<lower=0>[D] sigma;
  cholesky_factor_corr[D] L;
}
model {
  mu ~ normal(0, 2);
  sigma ~ normal(0, 1);
  L ~ lkj_corr_cholesky(2);
  for (n in 1:N) {
    vector[D] score;
    for (d in 1:D) {
      real u = lognormal_cdf(loss[n, d] | mu[d], sigma[d]);
      loss[n, d] ~ lognormal(mu[d], sigma[d]);
      score[d] = inv_Phi(fmin(fmax(u, 1e-12), 1 - 1e-12));
    }
    target += multi_normal_cholesky_lpdf(score | rep_vector(0, D), L) - std_normal_lpdf(score);
  }
}
generated quantities {
  corr_matrix[D] R = multiply_lower_tri_self_transpose(L);
  real total = sum(exp(mu + sigma .* multi_normal_cholesky_rng(rep_vector(0, D), L)));
}
