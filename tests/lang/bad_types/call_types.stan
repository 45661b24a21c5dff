functions {
  real f(real x, array[] int y) {
    return x + y[1];
  }
  vector rhs(real t, real y) {
    return [t, y]';
  }
}
data {
  int N;
  matrix[N, N] m;
  array[N] real ts;
}
transformed data {
  real a = f(1, 2);
  real b = f(1);
  real c = normal_lpdf(m | 0, 1);
  real d = sqrt(1, 2);
  array[N] vector[2] s = ode_rk45(rhs, [1, 2]', 0, ts);
}
model {
  m ~ normal(0, 1);
}
// expect error: call-types 15:12
// expect error: call-types 16:12
// expect error: call-types 17:12
// expect error: call-types 18:12
// expect error: call-types 19:26
// expect error: call-types 22:7
