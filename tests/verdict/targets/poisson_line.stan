data {
  vector[9] x;
  array[9] int y;
}
parameters {
  real a;
  real b;
}
model {
  a ~ normal(0, 2);
  b ~ normal(0, 1);
  y ~ poisson_log(a + b * x);
}
