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
  for (j in 1 : J) {
    a[j] ~ normal(0, tau);
    b[j] ~ normal(0, tau);
  }
  for (n in 1 : N) {
    y[n] ~ normal(a[group[n]] + b[group[n]] * x[n], sigma);
  }
}
