// Yield of a reaction by temperature (in tens of degrees), a polynomial of degree four in its raw powers: Draper and Smith,
// Applied Regression Analysis (1998), chapter 22, on orthogonal polynomials; simulated. Remedied.
data {
  int<lower=1> N;
  int<lower=1> K;
  vector[N] heat;
  vector[N] reaction;
}
transformed data {
  matrix[N, K] X;
  {
    matrix[N, K] P;
    for (k in 1:K) {
      P[, k] = pow((heat - mean(heat)) / sd(heat), k);
      P[, k] -= mean(P[, k]);
    }
    X = qr_thin_Q(P) * sqrt(N);
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
