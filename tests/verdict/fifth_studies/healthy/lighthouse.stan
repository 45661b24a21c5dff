// Gull's lighthouse, flashes along a coast that follow Cauchy's law: Sivia and Skilling, Data Analysis: A Bayesian Tutorial (2006), section 2.4; simulated. Accused: Cauchy predictions and their mean, tails without a mean.
data {
  int<lower=1> N;
  vector[N] flash;
}
parameters {
  real along;
  real<lower=0> away;
}
model {
  along ~ normal(0, 5);
  away ~ normal(0, 3);
  flash ~ cauchy(along, away);
}
generated quantities {
  real next_flash = cauchy_rng(along, away);
  real mean_of_ten = mean(cauchy_rng(rep_vector(along, 10), away));
  vector[N] log_lik;
  for (n in 1:N) {
    log_lik[n] = cauchy_lpdf(flash[n] | along, away);
  }
}
