// A network with six hidden units for a curve with noise.
data {
  int<lower=0> N;
  vector[N] u;
  vector[N] y;
}
parameters {
  vector[6] w;
  vector[6] b;
  vector[6] v;
  real c;
}
model {
  w ~ normal(0, 10);
  b ~ normal(0, 10);
  v ~ normal(0, 10);
  c ~ normal(0, 10);
  for (n in 1:N) y[n] ~ normal(c + dot_product(v, tanh(w * u[n] + b)), 3);
}
