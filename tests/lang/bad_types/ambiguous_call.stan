functions {
  real f(real x, int y) {
    return x + y;
  }
  real f(int x, real y) {
    return x - y;
  }
}
transformed data {
  real a = f(1, 2);
  real b = f(1.0, 2);
}
// expect error: ambiguous-call 10:12
