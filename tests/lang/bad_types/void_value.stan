functions {
  void f(real x) {
    print(x);
  }
  real g(real x) {
    return x;
  }
}
transformed data {
  real a = f(1) + 1;
  g(1);
  f(1);
}
// expect error: void-value 10:12
// expect error: unused-value 11:3
