// Returns whose logarithmic variance is an autoregression.
data { int T; vector[T] y; }
parameters { real mu; real<lower=-1, upper=1> phi; real<lower=0> sigma; vector[T] z; }
transformed parameters {
  vector[T] h = sigma * z;
  h[1] /= sqrt(1 - square(phi));
  h += mu;
  for (t in 2:T) h[t] += phi * (h[t - 1] - mu);
}
model {
  mu ~ normal(-1, 0.7);
  phi ~ normal(0.8, 0.1);
  sigma ~ lognormal(-1, 0.3);
  z ~ std_normal();
  y ~ normal(0, exp(h / 2));
}
