// Declarations whose type is wrong as far as syntax goes.
data {
  int<offset=1> a;
  real<lower=0, offset=1> b;
  real<lower=0, lower=1> c;
  real<uper=1> d;
  complex<lower=0> e;
  simplex<upper=1>[3] f;
  matrix[2] g;
  vector[2, 3] h;
  cholesky_factor_cov[1, 2, 3] i;
  vector k;
  array real l;
  array[2] array[3] real m;
  void n;
  real<lower=0 < 1> o;
  real offset;
  real p = 1;
  p = 2;
  tuple(real) q;
}
model {
  real<lower=0> r;
  simplex[3] s;
}
// expect error: constraint-not-allowed 3:6
// expect error: constraint-conflict 4:7
// expect error: duplicate-constraint 5:17
// expect error: unknown-constraint 6:8
// expect error: constraint-not-allowed 7:10
// expect error: constraint-not-allowed 8:10
// expect error: size-count 9:11
// expect error: size-count 10:11
// expect error: size-count 11:27
// expect error: unexpected-token 12:10
// expect error: unexpected-token 13:9
// expect error: unexpected-token 14:12
// expect error: unexpected-token 15:3
// expect error: unexpected-token 16:16
// expect error: reserved-word 17:8
// expect error: definition-not-allowed 18:10
// expect error: statement-not-allowed 19:3
// expect error: unexpected-token 20:13
// expect error: constraint-not-allowed 23:7
// expect error: constraint-not-allowed 24:3
