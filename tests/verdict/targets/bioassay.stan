data {
  vector[4] dose;
  array[4] int dead;
}
parameters {
  real a;
  real b;
}
model {
  a ~ normal(0, 2);
  b ~ normal(0, 5);
  dead ~ binomial_logit(5, a + b * dose);
}
