// 0 and 1 with effects of groups.
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; array[N] int<lower=0, upper=1> y; }
parameters { real a; real b; real<lower=0> tau; vector[J] z; }
transformed parameters { vector[J] u = tau * z; }
model {
  a ~ normal(0, 1);
  b ~ normal(0, 1);
  tau ~ lognormal(-0.3, 0.4);
  z ~ std_normal();
  y ~ bernoulli_logit(a + b * x + u[g]);
}
