// Progression of diabetes by eight measurements, the Bayesian lasso with a scale of its own: Park and Casella, Journal of the
// American Statistical Association 103 (2008); simulated.
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] x;
  vector[N] progression;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> lambda;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 2);
  lambda ~ normal(0, 1);
  beta ~ double_exponential(0, lambda);
  sigma ~ normal(0, 2);
  progression ~ normal(alpha + x * beta, sigma);
}
generated quantities {
  real R2 = variance(x * beta) / (variance(x * beta) + square(sigma));
}
