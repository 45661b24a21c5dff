// Counts with effects of groups on the scale of logarithms.
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] x; array[N] int<lower=0> y; }
parameters { real a; real b; real<lower=0> tau; vector[J] z; }
transformed parameters { vector[J] u = tau * z; }
model {
  a ~ normal(1, 0.5);
  b ~ normal(0, 0.5);
  tau ~ lognormal(-0.7, 0.4);
  z ~ std_normal();
  y ~ poisson_log(a + b * x + u[g]);
}
