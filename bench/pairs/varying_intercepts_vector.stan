data {
  int N;
  int J;
  array[N] int<lower=1, upper=J> group;
  vector[N] x;
  vector[N] y;
}
parameters {
  vector[J] a;
  vector[J] b;
  real<lower=0> tau;
  real<lower=0> sigma;
}
model {
  a ~ normal(0, tau);
  b ~ normal(0, tau);
  y ~ normal(a[group] + b[group] .* x, sigma);
}
