// Which columns matter: each coefficient is 0, or comes from a slab. The coefficients are integrated out by hand, so that the evidence of
// each choice of columns stands in the program.
//   credo exact examples/texts/spike_slab.stan --data examples/texts/spike_slab.json
data {
  int<lower=1> N;
  matrix[N, 3] X;
  vector[N] y;
  real<lower=0> noise, slab;
  real<lower=0, upper=1> included;
}
parameters {
  array[3] int<lower=0, upper=1> s;
}
model {
  s ~ bernoulli(included);
  {
    matrix[N, 3] chosen = diag_post_multiply(X, to_vector(s));
    y ~ multi_normal(rep_vector(0, N), add_diag(slab^2 * tcrossprod(chosen), noise^2));
  }
}
