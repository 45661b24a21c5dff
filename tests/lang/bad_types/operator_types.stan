data {
  int N;
  vector[N] v;
  row_vector[N] r;
  matrix[N, N] m;
  array[N] real a;
}
transformed data {
  real x;
  x = v * v;
  x = v + r;
  x = m + v;
  x = a + 1;
  x = 1.5 % 2;
  x = N'';
  x = v == v;
  x = 1.5 && 1;
  x = !1.5;
  vector[N] u = v;
  u *= m;
  x .*= 2.0;
}
// expect error: operator-types 10:7
// expect error: operator-types 11:7
// expect error: operator-types 12:7
// expect error: operator-types 13:7
// expect error: operator-types 14:7
// expect error: operator-types 15:7
// expect error: operator-types 16:7
// expect error: operator-types 17:7
// expect error: operator-types 18:7
// expect error: operator-types 20:3
// expect error: operator-types 21:3
