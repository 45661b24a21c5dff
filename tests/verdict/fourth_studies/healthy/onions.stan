// Yield of onions by how densely they stand, twelve hats of a spline whose weights walk at random: Ruppert, Wand and Carroll,
// Semiparametric Regression (2003); Lang and Brezger, Journal of Computational and Graphical Statistics 13 (2004); simulated.
// sample: --adapt-delta 0.99
data {
  int<lower=1> N;
  int<lower=2> K;
  vector<lower=0, upper=1>[N] x;
  vector[N] y;
}
transformed data {
  matrix[N, K] B;
  for (n in 1:N) {
    for (k in 1:K) {
      B[n, k] = fmax(0, 1 - abs(x[n] * (K - 1) - (k - 1)));
    }
  }
}
parameters {
  real first;
  real<lower=0> step;
  vector[K - 1] z;
  real<lower=0> sigma;
}
transformed parameters {
  vector[K] weight = cumulative_sum(append_row(first, step * z));
}
model {
  first ~ normal(5, 2);
  step ~ normal(0, 1);
  z ~ std_normal();
  sigma ~ normal(0, 1);
  y ~ normal(B * weight, sigma);
}
