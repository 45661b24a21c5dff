// What older versions of the language had.
functions {
  real f(real[] x, int[,] y, real z[]) { return 1; }
}
data {
  int N;
  real x[N];
  vector[3] y[N, 2];
}
model {
  real s <- 1;
  s <- s + 1;
  # comment
  increment_log_prob(get_lp());
}
// expect error: hash-comment 13:3
// expect error: removed-array-syntax 3:10
// expect error: removed-array-syntax 3:20
// expect error: removed-array-syntax 3:30
// expect error: removed-array-syntax 7:9
// expect error: removed-array-syntax 8:14
// expect error: removed-arrow 11:10
// expect error: removed-arrow 12:5
// expect error: removed-function 14:22
// expect error: removed-function 14:3
