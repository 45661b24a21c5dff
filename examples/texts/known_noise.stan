// A linear regression whose evidence is known (file 10-11, E9): the bounds of two objectives are on either side of it.
// credo approximate examples/texts/known_noise.stan --data examples/texts/known_noise.json --method normal --covariance diagonal --objective chi2
data {
  int N;
  int D;
  matrix[N, D] X;
  vector[N] y;
}
parameters {
  vector[D] w;
}
model {
  w ~ normal(0, 1);
  y ~ normal(X * w, 1);
}
