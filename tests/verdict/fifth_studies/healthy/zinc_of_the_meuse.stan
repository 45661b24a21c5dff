// Logarithm of zinc in the flood plain of a river, kriging with exponential covariance: Pebesma, Computers and Geosciences 30 (2004); Diggle and Ribeiro, Model-based Geostatistics (2007); simulated. Accused: sill and range that are correlated, a nugget with mass at zero, predictions far off that only the prior holds.
data {
  int<lower=1> N;
  array[N] vector[2] place;
  vector[N] log_zinc;
  int<lower=1> M;
  array[M] vector[2] new_place;
}
parameters {
  real mu;
  real<lower=0> sill;
  real<lower=0> range;
  real<lower=0> nugget;
}
model {
  matrix[N, N] K = add_diag(gp_exponential_cov(place, sill, range), square(nugget) + 1e-8);
  mu ~ normal(6, 1);
  sill ~ normal(0, 1);
  range ~ inv_gamma(4, 3);
  nugget ~ normal(0, 0.3);
  log_zinc ~ multi_normal_cholesky(rep_vector(mu, N), cholesky_decompose(K));
}
generated quantities {
  vector[M] zinc;
  {
    matrix[N, N] K = add_diag(gp_exponential_cov(place, sill, range), square(nugget) + 1e-8);
    matrix[N, M] k = gp_exponential_cov(place, new_place, sill, range);
    matrix[M, M] kk = gp_exponential_cov(new_place, sill, range);
    matrix[N, M] w = mdivide_left_spd(K, k);
    vector[M] m = mu + w' * (log_zinc - mu);
    for (i in 1:M) {
      zinc[i] = lognormal_rng(m[i], sqrt(fmax(1e-9, kk[i, i] - dot_product(w[, i], k[, i])) + square(nugget)));
    }
  }
}
