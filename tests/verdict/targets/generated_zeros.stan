parameters {
  real x;
}
model {
  x ~ normal(0, 1);
}
generated quantities {
  real g = bernoulli_rng(0.4) * abs(normal_rng(0, 1));
}
