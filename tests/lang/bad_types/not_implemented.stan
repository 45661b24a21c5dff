parameters {
  real x;
}
model {
  target += 1 + x;
  target += 1 - x;
  target += sqrt(x);
  x ~ normal(0, 1) T[0, ];
}
// expect error: not-implemented 6:13
// expect error: not-implemented 7:13
// expect error: not-implemented 8:7
// expect error: not-implemented 8:20
