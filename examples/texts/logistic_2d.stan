// Logistic regression of two classes in the plane [murphy2023, 10.3.4]: a full normal distribution, one of rank 1 beside a diagonal, and NUTS
// predict alike.
//   credo approximate examples/texts/logistic_2d.stan --data examples/texts/logistic_2d.json --method all
data {
  int<lower=1> N;
  matrix[N, 2] x;
  array[N] int<lower=0, upper=1> y;
}
parameters {
  real w0;
  vector[2] w;
}
model {
  w0 ~ normal(0, 5);
  w ~ normal(0, 5);
  y ~ bernoulli_logit(w0 + x * w);
}
