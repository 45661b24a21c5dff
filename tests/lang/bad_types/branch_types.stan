data {
  vector[2] v;
  row_vector[2] r;
}
transformed data {
  vector[2] a = 1 ? v : r;
  real b = 1 ? 1 : 2.5;
}
// expect error: branch-types 6:17
