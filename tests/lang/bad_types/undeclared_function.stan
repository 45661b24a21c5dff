parameters {
  real x;
}
model {
  target += sqr(x);
  target += later(x);
}
// expect error: undeclared-function 5:13
// expect error: undeclared-function 6:13
