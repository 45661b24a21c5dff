data {
  int N;
  vector[N] x;
  vector[N] log_exposure;
  array[N] int<lower=0> y;
}
parameters {
  real a;
  real b;
  vector[N] z;
  real<lower=0> tau;
}
model {
  z ~ std_normal();
  tau ~ normal(0, 1);
  y ~ poisson_log(log_exposure + a + b * x + tau * z);
}
