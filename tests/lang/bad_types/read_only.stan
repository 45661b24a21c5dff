functions {
  real f(real x) {
    x = 2;
    return x;
  }
}
data {
  int N;
  array[N] int k;
}
parameters {
  real p;
}
transformed parameters {
  real q;
  N = 1;
  q = p;
}
model {
  q = 2;
  for (i in 1:N) {
    i = 3;
  }
  array[2] int a = {1, 2};
  int j = 1;
  (j, a[j]) = (1, 2);
}
// expect error: read-only 3:5
// expect error: read-only 16:3
// expect error: read-only 20:3
// expect error: read-only 22:5
// expect warning: unused-variable 24:16
// expect error: read-only 26:4
