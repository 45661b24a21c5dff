data {
  int N;
  vector[N] d;
}
parameters {
  array[N] int<lower=1, upper=2> z;
  real x;
  ordered[2] v;
}
model {
  for (n in 1 : N) {
    z[n] ~ categorical([0.3, 0.7]');
    d[n] ~ normal(v[z[n]], exp(x));
  }
}
// data
{"N": 3, "d": [0.5, -1, 2]}
