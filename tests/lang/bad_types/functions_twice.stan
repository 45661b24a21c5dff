functions {
  real f(real x);
  real f(real x) {
    return x;
  }
  real f(real x) {
    return 2;
  }
  real sqrt(real x) {
    return x;
  }
  real reduce_sum(real x) {
    return x;
  }
  real h(real x);
}
// expect error: function-redefined 6:3
// expect error: function-is-builtin 9:8
// expect error: function-is-builtin 12:8
// expect error: function-not-defined 15:3
