transformed data {
  int k = size(rep_array(1, 65536, 65536, 65536));
}
model {
}
