parameters {
  real x;
}
model {
  for (i in 1 : 10) {
    array[60000, 60000] real v;
    v[1, 1] = x;
    target += v[1, 1];
  }
}
