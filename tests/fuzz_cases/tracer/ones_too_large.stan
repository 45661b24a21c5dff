transformed data {
  int k = size(ones_int_array(2147483647));
}
model {
}
