// Strength of concrete by shares of cement, water, sand and gravel, which sum to one, and an intercept besides: Cornell,
// Experiments with Mixtures (2002), chapter 2; simulated.
// expect: flat_direction alpha beta
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] shares;
  vector[N] strength;
}
parameters {
  real alpha;
  vector[K] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 1000);
  beta ~ normal(0, 1000);
  sigma ~ normal(0, 5);
  strength ~ normal(alpha + shares * beta, sigma);
}
