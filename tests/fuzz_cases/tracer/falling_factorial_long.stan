transformed data {
  real k = falling_factorial(1.5, 2147483647);
}
model {
}
