// Test scores of children by their mothers' schooling and intelligence, with an interaction: Gelman and Hill, Data Analysis Using
// Regression (2007), chapter 3; simulated.
data {
  int<lower=1> N;
  vector[N] iq;
  vector[N] school;
  vector[N] score;
}
transformed data {
  vector[N] x = (iq - 100) / 15;
}
parameters {
  real a;
  vector[3] b;
  real<lower=0> sigma;
}
model {
  a ~ normal(80, 20);
  b ~ normal(0, 10);
  sigma ~ normal(0, 20);
  score ~ normal(a + b[1] * school + b[2] * x + b[3] * school .* x, sigma);
}
generated quantities {
  vector[N] log_lik;
  for (n in 1:N) {
    log_lik[n] = normal_lpdf(score[n] | a + b[1] * school[n] + b[2] * x[n] + b[3] * school[n] * x[n], sigma);
  }
  real share_of_school = b[1] / (b[1] + b[2]);
}
