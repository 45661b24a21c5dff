parameters {
  real gamma;
}
model {
  target += gamma(2);
}
// expect error: variable-as-function 5:13
