// A ratio of laser reflections by distance, a spline of straight pieces with penalised bends: Ruppert, Wand and Carroll,
// Semiparametric Regression (2003), chapter 3; Crainiceanu, Ruppert and Wand, Journal of Statistical Software 14 (2005);
// simulated.
data {
  int<lower=1> N;
  vector[N] range;
  vector[N] log_ratio;
  int<lower=1> K;
}
transformed data {
  matrix[N, K] Z;
  for (k in 1:K) {
    Z[, k] = fdim(range, k / (K + 1.0));
  }
}
parameters {
  real alpha;
  real beta;
  vector[K] bend;
  real<lower=0> tau;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 2);
  tau ~ student_t(3, 0, 2);
  bend ~ normal(0, tau);
  sigma ~ normal(0, 0.5);
  log_ratio ~ normal(alpha + beta * range + Z * bend, sigma);
}
