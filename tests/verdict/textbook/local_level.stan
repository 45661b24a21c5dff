// A level that walks, with states sampled by their innovations.
data { int T; vector[T] y; }
parameters { real start; real<lower=0> walk; real<lower=0> noise; vector[T - 1] z; }
transformed parameters { vector[T] level = start + append_row(0, walk * cumulative_sum(z)); }
model {
  start ~ normal(0, 2);
  walk ~ lognormal(-1, 0.4);
  noise ~ lognormal(-0.5, 0.4);
  z ~ std_normal();
  y ~ normal(level, noise);
}
