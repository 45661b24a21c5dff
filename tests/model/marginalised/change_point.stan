data {
  int<lower=2> N;
  array[N] int<lower=0> y;
}
parameters {
  real<lower=0> early;
  real<lower=0> late;
  int<lower=1, upper=N> change;
}
model {
  early ~ exponential(0.3);
  late ~ exponential(0.3);
  for (t in 1:N) {
    y[t] ~ poisson(t < change ? early : late);
  }
}
generated quantities {
  vector[N] p;
  for (s in 1:N) {
    p[s] = change == s;
  }
}
