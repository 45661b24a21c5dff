parameters {
  real<lower=1> x;
}
model {
  x ~ pareto(1, 3);
}
