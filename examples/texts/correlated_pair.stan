// Two normal values with correlation 0.8 (file 10-11, E10): the nearest independent ones by either divergence.
// credo approximate examples/texts/correlated_pair.stan --method normal --covariance diagonal
parameters {
  vector[2] x;
}
model {
  x ~ multi_normal([0, 0]', [[1, 0.8], [0.8, 1]]);
}
