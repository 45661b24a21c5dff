// Six outcomes of mean 1 from normal(0, 1): no parameter is free. free_mean.stan is the other model.
data {
  int<lower=0> N;
  vector[N] y;
}
model {
  y ~ normal(0, 1);
}
