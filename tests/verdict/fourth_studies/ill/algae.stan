// Cells of algae by day, logistic growth, and the day when there are a hundred: Tsoularis and Wallace, Mathematical Biosciences
// 179 (2002); simulated. Some curves never get there, and the logarithm of what is missing isn't a number.
// expect: missing_values day_of_hundred
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
  real day_of_hundred = (log(100) + log(most - exp(log_start)) - log_start - log(most - 100)) / rate; // here
}
