data {
  int N;
  vector[M] x;
}
parameters {
  real sigma;
}
model {
  target += -sigmaa;
}
// expect error: undeclared-variable 3:10
// expect error: undeclared-variable 9:14
