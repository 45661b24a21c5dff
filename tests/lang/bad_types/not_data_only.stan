functions {
  real f(data real x) {
    return x;
  }
  real g(real x) {
    return f(x);
  }
}
data {
  int N;
}
parameters {
  real p;
  vector[N] v;
}
transformed parameters {
  real q = f(p);
  real r = f(N * 2.5);
}
generated quantities {
  int K = 3;
  vector[K] w;
  vector[poisson_rng(3)] u;
  real s = f(p);
}
// expect error: not-data-only 6:14
// expect error: not-data-only 17:14
// expect error: not-data-only 22:10
// expect error: not-data-only 23:10
