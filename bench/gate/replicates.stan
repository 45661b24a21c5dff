// What everybody has beside a model: the pointwise log likelihood and replicated outcomes.
data {
  int N, G, K;
  matrix[N, K] x;
  array[N] int<lower=1, upper=G> g;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real a;
  vector[K] b;
  vector[G] z;
  real<lower=0> s;
}
transformed parameters {
  vector[G] u = s * z;
}
model {
  a ~ normal(0, 2);
  b ~ normal(0, 1);
  z ~ std_normal();
  s ~ normal(0, 1);
  y ~ bernoulli_logit(a + x * b + u[g]);
}
generated quantities {
  vector[N] log_lik;
  array[N] int y_rep;
  for (n in 1 : N) log_lik[n] = bernoulli_logit_lpmf(y[n] | a + x[n] * b + u[g[n]]);
  for (n in 1 : N) y_rep[n] = bernoulli_logit_rng(a + x[n] * b + u[g[n]]);
}
