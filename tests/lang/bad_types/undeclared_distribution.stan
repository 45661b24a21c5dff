parameters {
  real x;
}
model {
  x ~ norml(0, 1);
  x ~ normal_lpdf(0, 1);
}
// expect error: undeclared-distribution 5:7
// expect error: undeclared-distribution 6:7
