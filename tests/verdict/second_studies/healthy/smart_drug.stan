// Scores after a drug and a placebo, two groups with Student's t errors: Kruschke, Journal of Experimental Psychology: General
// 142 (2013) and Doing Bayesian Data Analysis, chapter 16; simulated. Two chains only.
// sample: --chains 2 --draws 2000
data {
  int<lower=1> N;
  array[N] int<lower=1, upper=2> arm;
  vector[N] score;
}
parameters {
  vector<offset=100, multiplier=1>[2] mu;
  vector<lower=0>[2] sigma;
  real<lower=0> nu_less_one;
}
model {
  mu ~ normal(100, 20);
  sigma ~ cauchy(0, 5);
  nu_less_one ~ exponential(1 / 29.0);
  score ~ student_t(nu_less_one + 1, mu[arm], sigma[arm]);
}
generated quantities {
  real difference = mu[1] - mu[2];
  real effect = difference / sqrt((square(sigma[1]) + square(sigma[2])) / 2);
  real sigma_ratio = sigma[1] / sigma[2];
  int drug_better = difference > 0;
}
