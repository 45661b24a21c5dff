// Mortality of twelve hospitals and their ranks: BUGS examples, volume 1, "Surgical"; Lunn et al., The BUGS Book.
data {
  int<lower=1> N;
  array[N] int<lower=1> operations;
  array[N] int<lower=0> deaths;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector<offset=mu, multiplier=tau>[N] log_odds;
}
model {
  mu ~ normal(-2.5, 1);
  tau ~ cauchy(0, 1);
  log_odds ~ normal(mu, tau);
  deaths ~ binomial_logit(operations, log_odds);
}
generated quantities {
  vector[N] mortality = inv_logit(log_odds);
  array[N] int<lower=1, upper=N> place;
  real odds_ratio = exp(max(log_odds) - min(log_odds));
  for (n in 1:N) {
    place[n] = rank(mortality, n) + 1;
  }
}
