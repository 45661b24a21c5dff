transformed data {
  int k = size(linspaced_int_array(2147483647, 1, 2147483647));
}
model {
}
