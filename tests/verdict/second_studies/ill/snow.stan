// Depths of snow along a transect by a Gaussian process, latent depths at all places as parameters and a smooth kernel:
// Rasmussen and Williams, Gaussian Processes for Machine Learning, chapter 2; Stan User's Guide, chapter on Gaussian processes;
// simulated. Scales differ ten thousandfold between directions that no coordinate follows.
// expect: tree_depth depth
data {
  int<lower=1> N;
  array[N] real place;
  vector[N] measured;
}
transformed data {
  matrix[N, N] L = cholesky_decompose(add_diag(gp_exp_quad_cov(place, 1, 2), 1e-6));
}
parameters {
  vector[N] depth;
}
model {
  depth ~ multi_normal_cholesky(rep_vector(0, N), L);
  measured ~ normal(depth, 0.5);
}
