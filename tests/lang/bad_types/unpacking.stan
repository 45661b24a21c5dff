transformed data {
  int a;
  real b;
  (a, b) = (1, 2, 3);
  (a, b) = 4;
  (a, a) = (1, 2);
  (a, b) = (1, 2);
}
// expect error: unpacking-type 4:12
// expect error: unpacking-type 5:12
// expect error: assigned-twice 6:7
