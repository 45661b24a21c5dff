// Cases of lip cancer in twenty counties, a few expected in each, with effects of neighbouring counties alike: Clayton and Kaldor,
// Biometrics 43 (1987); Breslow and Clayton, Journal of the American Statistical Association 88 (1993); simulated, with risks that
// are almost the same. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  matrix[N, N] W;
  vector<lower=0>[N] expected;
  array[N] int<lower=0> cases;
}
transformed data {
  matrix[N, N] Q = diag_matrix(W * rep_vector(1, N)) - 0.95 * W;
  matrix[N, N] root = cholesky_decompose(inverse_spd(Q));
}
parameters {
  real alpha;
  real<lower=0> sd_phi;
  vector[N] z;
}
transformed parameters {
  vector[N] phi = sd_phi * (root * z);
}
model {
  alpha ~ normal(0, 1);
  sd_phi ~ normal(0, 1);
  z ~ std_normal();
  cases ~ poisson_log(log(expected) + alpha + phi);
}
