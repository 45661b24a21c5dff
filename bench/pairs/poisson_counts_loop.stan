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
  tau ~ normal(0, 1);
  for (n in 1 : N) {
    z[n] ~ std_normal();
    y[n] ~ poisson_log(log_exposure[n] + a + b * x[n] + tau * z[n]);
  }
}
