functions {
  real f(real x) {
    real x;
    return x;
  }
}
data {
  int N;
  real N;
  real M;
}
model {
  for (N in 1:3) {
  }
  {
    real a;
    a = 1;
    target += a;
    {
      int a;
    }
  }
  {
    real a = 1;
    target += a;
  }
}
// expect error: redeclared 3:10
// expect error: redeclared 9:8
// expect error: redeclared 13:8
// expect error: redeclared 20:11
