// Scores of children by their mothers' intelligence quotient, 30 draws a chain: Gelman and Hill, Data Analysis Using Regression,
// chapter 3; simulated.
// sample: --draws 30
// expect: few_draws
// may: alpha beta sigma
// remedy: --draws 1000
data {
  int<lower=1> N;
  vector[N] mother;
  vector[N] score;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(85, 20);
  beta ~ normal(0, 2);
  sigma ~ normal(0, 30);
  score ~ normal(alpha + beta * (mother - 100), sigma);
}
