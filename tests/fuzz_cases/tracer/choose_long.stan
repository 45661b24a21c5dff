transformed data {
  int k = choose(2147483647, 1073741823);
}
model {
}
