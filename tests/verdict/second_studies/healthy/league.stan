// Goals of a league of eight teams by attack and defence that sum to zero: Baio and Blangiardo, Journal of Applied Statistics
// 37 (2010); simulated. The last team is minus the sum of the others.
data {
  int<lower=1> N;
  int<lower=2> J;
  array[N] int<lower=1, upper=J> home;
  array[N] int<lower=1, upper=J> away;
  array[N] int<lower=0> home_goals;
  array[N] int<lower=0> away_goals;
}
parameters {
  real base;
  real advantage;
  vector[J - 1] attack_free;
  vector[J - 1] defence_free;
}
transformed parameters {
  vector[J] attack = append_row(attack_free, -sum(attack_free));
  vector[J] defence = append_row(defence_free, -sum(defence_free));
}
model {
  base ~ normal(0, 1);
  advantage ~ normal(0, 0.5);
  attack ~ normal(0, 0.5);
  defence ~ normal(0, 0.5);
  home_goals ~ poisson_log(base + advantage + attack[home] - defence[away]);
  away_goals ~ poisson_log(base + attack[away] - defence[home]);
}
generated quantities {
  int champion = sort_indices_desc(attack + defence)[1];
}
