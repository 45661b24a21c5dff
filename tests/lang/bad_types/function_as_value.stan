functions {
  real f(real x) {
    return x;
  }
}
transformed data {
  real a = f;
  real b = exp + 1;
}
// expect error: function-as-value 7:12
// expect error: function-as-value 8:12
