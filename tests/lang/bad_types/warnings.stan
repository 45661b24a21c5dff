functions {
  void f_lp(real x) {
    target += x;
  }
  real g(real x) {
    return x;
    print(x);
  }
}
transformed data {
  int n = 7 / 2;
  int b = 1 < n < 3;
  int c = (1 < n) < 3;
  {
    real unused = 3;
  }
}
parameters {
  real p;
}
transformed parameters {
  real q = p;
  f_lp(q);
  real s = s + q;
}
// expect warning: unreachable-statement 7:5
// expect warning: int-division 11:13
// expect warning: comparison-chain 12:17
// expect warning: unused-variable 15:10
// expect warning: deprecated 23:3
// expect warning: used-in-own-definition 24:8
