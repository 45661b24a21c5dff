// Temperatures at three thermometers in a room, a normal distribution with known, nearly equal correlations: Roberts and Sahu
// (1997); Neal (2011), MCMC using Hamiltonian dynamics. No scale of a single coordinate helps.
// expect: tree_depth temperature
// remedy: --metric dense_e --warmup 2000 --draws 2000
data {
  int<lower=1> D;
  real<lower=0, upper=1> rho;
}
transformed data {
  matrix[D, D] L = cholesky_decompose(add_diag(rep_matrix(rho, D, D), 1 - rho));
}
parameters {
  vector[D] temperature;
}
model {
  temperature ~ multi_normal_cholesky(rep_vector(10, D), L);
}
