data {
  int N;
  vector[3] d;
}
parameters {
  real x;
  real<lower=0> y;
  vector[3] v;
}
model {
  int i = 2;
  target += normal_lpdf(d | x, y);
  v ~ normal(x, y);
  for (n in 1 : N) {
    target += v[n] * d[n];
  }
  if (x > 0) {
    target += square(x);
  }
}
generated quantities {
  real z = normal_rng(x, y);
  array[N] real w;
  for (n in 1 : N) w[n] = v[n] + z;
}
// data
{"N": 3, "d": [0.5, -1, 2]}
