// Signatures with what only declarations have.
functions {
  real f(vector[3] x) { return 1; }
  real g(real<lower=0> x) { return 1; }
  real h(simplex x) { return 1; }
  real k(void x) { return 1; }
  array[3] real l();
  real m(real x { return 1; }
  real lower(real x);
  real n(real x) return 1;
  real o(real x);
}
data {
  real q(real x) { return 1; }
}
real p(real x) { return 1; }
// expect error: size-not-allowed 3:16
// expect error: constraint-not-allowed 4:14
// expect error: constraint-not-allowed 5:10
// expect error: unexpected-token 6:10
// expect error: unexpected-token 7:9
// expect error: unexpected-token 8:17
// expect error: reserved-word 9:8
// expect error: unexpected-token 10:18
// expect error: function-outside-block 14:8
// expect error: function-outside-block 16:1
