// A Gaussian process behind counts.
data {
  int<lower=1> N;
  array[N] real x;
  array[N] int<lower=0> k;
}
transformed data {
  vector[N] zeros = rep_vector(0, N);
  real jitter = 1e-6;
}
parameters {
  real<lower=0> rho;
  real<lower=0> alpha;
  vector[N] eta;
}
transformed parameters {
  vector[N] f;
  {
    matrix[N, N] cov = gp_exp_quad_cov(x, alpha, rho);
    matrix[N, N] L;
    for (n in 1:N) {
      cov[n, n] += jitter;
    }
    L = cholesky_decompose(cov);
    f = L * eta;
  }
}
model {
  rho ~ inv_gamma(5, 5);
  alpha ~ normal(0, 1);
  eta ~ std_normal();
  k ~ poisson_log(f);
}
