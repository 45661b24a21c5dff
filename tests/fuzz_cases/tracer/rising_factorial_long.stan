transformed data {
  int k = rising_factorial(1, 2147483647);
}
model {
}
