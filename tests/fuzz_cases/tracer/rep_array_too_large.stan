transformed data {
  int k = size(rep_array(1, 2147483647));
}
model {
}
