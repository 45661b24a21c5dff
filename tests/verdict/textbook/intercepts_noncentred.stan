// Random intercepts, not centred.
data { int N; int J; array[N] int<lower=1, upper=J> g; vector[N] y; }
parameters { real mu; real<lower=0> tau; real<lower=0> sigma; vector[J] z; }
transformed parameters { vector[J] a = mu + tau * z; }
model {
  mu ~ normal(0, 2);
  tau ~ lognormal(0, 0.5);
  sigma ~ lognormal(0, 0.3);
  z ~ std_normal();
  y ~ normal(a[g], sigma);
}
