// Yield of a reaction by temperature (in tens of degrees), a polynomial of degree four in its raw powers: Draper and Smith,
// Applied Regression Analysis (1998), chapter 22, on orthogonal polynomials; simulated.
// expect: tree_depth beta
// may: alpha
data {
  int<lower=1> N;
  int<lower=1> K;
  vector[N] heat;
  vector[N] reaction;
}
transformed data {
  matrix[N, K] X;
  for (k in 1:K) {
    X[, k] = pow(heat, k);
  }
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 100);
  beta ~ normal(0, 100);
  sigma ~ normal(0, 5);
  reaction ~ normal(alpha + X * beta, sigma);
}
