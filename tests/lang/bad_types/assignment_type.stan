data {
  vector[2] v;
}
transformed data {
  int k;
  real x = 1;
  vector[2] u;
  k = 2 ^ 2;
  u = {1.0, 2.0};
  x = v;
  k += 1.5;
  x += 1;
  (k, x) = (1.5, 2);
}
// expect error: assignment-type 8:7
// expect error: assignment-type 9:7
// expect error: assignment-type 10:7
// expect error: assignment-type 11:3
// expect error: assignment-type 13:12
