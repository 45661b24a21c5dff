functions {
  real step_of(real a, vector b, int k) {
    if (k <= 0) return a;
    return 0.5 * step_of(a, b, k - 1) + b[1];
  }
  real foo_lpdf(real a, real b) {
    return -square(a - b);
  }
  tuple(real, int) two(real a) {
    return (a, 1);
  }
}
data {
  int N;
  array[N] int k;
}
transformed data {
  array[N] int sorted = sort_asc(k);
}
parameters {
  real x;
  real<lower=-1, upper=1> y;
  vector[4] v;
}
transformed parameters {
  vector[N] h;
  h[1] = x;
  for (t in 2 : N) h[t] = y * h[t - 1] + v[1];
}
model {
  int i = 0;
  real acc = 0;
  while (i < N) {
    i += 1;
    if (k[i] > 2) continue;
    acc += h[i];
  }
  x ~ foo(y);
  target += step_of(x, v, 3) + acc + two(y).1;
  k ~ poisson_log(h);
  for (e in v) target += e > 0 ? e : -e;
  target += log_mix(inv_logit(x), normal_lpdf(y | 0, 1), std_normal_lpdf(x));
  target += log_sum_exp(v[ : 2]) + v[{1, 3}][2];
}
generated quantities {
  array[N] int r = poisson_log_rng(h);
  profile("p") {
    print("x = ", x);
  }
}
// data
{"N": 4, "k": [1, 3, 0, 2]}
