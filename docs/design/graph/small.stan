data {
  int<lower=0> N;
  vector[N] x;
  vector[N] y;
}
parameters {
  real a;
  real r;
}
model {
  real m = 0;
  for (n in 1 : N) {
    m = tanh(r * m + a * x[n]);
    y[n] ~ normal(exp(a) + m, 1);
  }
}
