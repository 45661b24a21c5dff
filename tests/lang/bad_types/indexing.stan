data {
  int N;
  array[N] matrix[N, N] m;
  tuple(int, real) t;
  array[N] tuple(int, real) ts;
}
transformed data {
  real a = N[1];
  real b = m[1, 2, 3, 4];
  real c = t.3;
  real d = ts.1;
  real e = t[1];
  real f = N.1;
  real g = m[1, 2, 3];
}
// expect error: not-indexable 8:12
// expect error: too-many-indices 9:12
// expect error: no-such-element 10:12
// expect error: no-such-element 11:12
// expect error: not-indexable 12:12
// expect error: no-such-element 13:12
