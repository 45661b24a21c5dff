data {
  vector[7] x;
  array[7] int y;
}
parameters {
  real b;
}
model {
  b ~ normal(0, 3);
  y ~ bernoulli_logit(b * x);
}
