transformed data {
  int k = abs(-2147483647 - 1);
}
model {
}
