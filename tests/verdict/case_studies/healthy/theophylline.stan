// One subject's theophylline, first-order absorption and elimination, the slower rate first: Pinheiro and Bates, Mixed-Effects
// Models in S and S-PLUS; Gibaldi and Perrier, Pharmacokinetics; simulated.
data {
  int<lower=1> N;
  real<lower=0> dose;
  vector<lower=0>[N] hour;
  vector<lower=0>[N] concentration;
}
parameters {
  positive_ordered[2] rate;
  real<lower=0> volume;
  real<lower=0> sigma;
}
transformed parameters {
  vector[N] expected = dose / volume * rate[2] / (rate[2] - rate[1]) * (exp(-rate[1] * hour) - exp(-rate[2] * hour));
}
model {
  rate[1] ~ lognormal(log(0.1), 0.5);
  rate[2] ~ lognormal(log(1.5), 0.5);
  volume ~ lognormal(log(30), 0.5);
  sigma ~ normal(0, 0.3);
  concentration ~ lognormal(log(expected), sigma);
}
generated quantities {
  real half_life = log2() / rate[1];
  real clearance = volume * rate[1];
  real time_of_peak = log(rate[2] / rate[1]) / (rate[2] - rate[1]);
  vector[N] log_lik;
  for (n in 1:N) {
    log_lik[n] = lognormal_lpdf(concentration[n] | log(expected[n]), sigma);
  }
}
