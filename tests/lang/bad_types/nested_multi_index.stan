data {
  int N;
}
transformed data {
  array[N, N] real x;
  x[1 : 2][1] = {1.0, 2.0};
  x[1][2] = 3;
  x[1, 1 : 2] = {1.0, 2.0};
}
// expect error: nested-multi-index 6:3
