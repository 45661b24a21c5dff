// Loss of ammonia in a plant, robust regression: Brownlee (1965); BUGS examples, volume 1, "Stacks". Robustness and shares of
// explained variation as outputs; the degrees of freedom are hardly told by 21 days.
data {
  int<lower=1> N;
  array[N] vector[3] x;
  vector[N] loss;
}
transformed data {
  matrix[N, 3] z;
  for (k in 1:3) {
    z[, k] = (to_vector(x[, k]) - mean(x[, k])) / sd(x[, k]);
  }
}
parameters {
  real alpha;
  vector[3] beta;
  real<lower=0> sigma;
  real<lower=1> nu;
}
model {
  alpha ~ normal(17, 10);
  beta ~ normal(0, 10);
  sigma ~ normal(0, 10);
  nu - 1 ~ gamma(2, 0.1);
  loss ~ student_t(nu, alpha + z * beta, sigma);
}
generated quantities {
  array[N] int outlying;
  vector[N] log_lik;
  for (n in 1:N) {
    outlying[n] = abs(loss[n] - alpha - z[n] * beta) > 2.5 * sigma;
    log_lik[n] = student_t_lpdf(loss[n] | nu, alpha + z[n] * beta, sigma);
  }
}
