// Which columns matter, with uniform slabs: a coefficient that isn't chosen has no effect.
//   credo sample examples/texts/spike_slab_uniform.stan --data examples/texts/spike_slab.json --discrete sum
data {
  int<lower=1> N;
  matrix[N, 3] X;
  vector[N] y;
  real<lower=0> noise, bound;
  real<lower=0, upper=1> included;
}
parameters {
  array[3] int<lower=0, upper=1> s;
  vector<lower=-bound, upper=bound>[3] slab;
}
transformed parameters {
  vector[3] w = to_vector(s) .* slab;
}
model {
  s ~ bernoulli(included);
  slab ~ uniform(-bound, bound);
  y ~ normal(X * w, noise);
}
