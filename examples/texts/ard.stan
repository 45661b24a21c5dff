// A prior precision for each coefficient, found by the evidence: precisions of columns that don't matter go to infinity.
//   credo optimize examples/texts/ard.stan --data examples/texts/ard.json --marginal w
data {
  int<lower=1> N, D;
  matrix[N, D] X;
  vector[N] y;
}
parameters {
  vector[D] w;
  vector<lower=0>[D] alpha;
  real<lower=0> beta;
}
model {
  w ~ normal(0, inv_sqrt(alpha));
  y ~ normal(X * w, inv_sqrt(beta));
}
