data {
  vector[2] v;
}
transformed data {
  array[2] real a = {1, v};
  array[2] real b = {1, 2.5};
  row_vector[2] c = [1, v];
}
// expect error: element-types 5:25
// expect error: element-types 7:25
