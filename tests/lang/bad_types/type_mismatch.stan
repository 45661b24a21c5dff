data {
  int N;
  real r;
  vector[r] v;
  int<lower=0.5> k;
  vector<lower=N>[N] ok;
  array[N] real<upper=v> w;
}
model {
  if (r) {
  }
  while (v) {
  }
  for (i in 1:r) {
  }
  for (x in N) {
  }
  target += v[r];
  target += v[v:];
  vector[3] a = {1, 2, 3};
  matrix[1, 2] m = [[1, 2]', [3, 4]'];
  target += r ? 1 : 2;
  target += (1, 2);
}
// expect error: type-mismatch 4:10
// expect error: type-mismatch 5:13
// expect error: type-mismatch 7:23
// expect error: type-mismatch 10:7
// expect error: type-mismatch 12:10
// expect error: type-mismatch 14:15
// expect error: type-mismatch 16:13
// expect error: type-mismatch 18:15
// expect error: type-mismatch 19:15
// expect warning: unused-variable 20:13
// expect error: type-mismatch 20:17
// expect warning: unused-variable 21:16
// expect error: type-mismatch 21:20
// expect error: type-mismatch 22:13
// expect error: type-mismatch 23:13
