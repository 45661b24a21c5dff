// Two classes that a line separates (file 15-17, X4): the likelihood has no maximum, the posterior has a mode.
// credo laplace examples/texts/separable_classes.stan --data examples/texts/separable_classes.json
data {
  int N;
  matrix[N, 2] x;
  array[N] int<lower=0, upper=1> y;
  real<lower=0> prior_sd;
}
parameters {
  vector[2] w;
}
model {
  w ~ normal(0, prior_sd);
  y ~ bernoulli_logit(x * w);
}
