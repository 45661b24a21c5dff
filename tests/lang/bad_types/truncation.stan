data {
  int n;
  real y;
  vector[2] v;
  simplex[2] s;
}
model {
  y ~ normal(0, 1) T[0, 1];
  n ~ poisson(3) T[1, ];
  v ~ normal(0, 1) T[0, ];
  y ~ loglogistic(1, 1) T[0, ];
  s ~ dirichlet(v) T[0, 1];
  n ~ poisson(3) T[0.5, ];
}
// expect error: truncation-not-available 11:25
// expect error: truncation-not-available 12:20
// expect error: type-mismatch 13:20
