// The nine-tenths quantile of expenses on food by income, the asymmetric Laplace likelihood, a kink at each datum: Yu and
// Moyeed, Statistics and Probability Letters 54 (2001); Koenker, Quantile Regression (2005), Engel's data; simulated.
functions {
  real check_loss(vector u, real q) {
    return sum(0.5 * abs(u) + (q - 0.5) * u);
  }
}
data {
  int<lower=1> N;
  vector[N] income;
  vector[N] food;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 1);
  target += -N * log(sigma) - check_loss(food - alpha - beta * income, 0.9) / sigma;
}
