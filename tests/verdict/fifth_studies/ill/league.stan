// Goals in a half season of a league of eight teams, each with an attack and a defence drawn around zero: Baio and Blangiardo,
// Journal of Applied Statistics 37 (2010); simulated, with teams that hardly differ.
// expect: funnel sd_attack/sd_defence/attack/defence
// may: sd_attack sd_defence attack defence
data {
  int<lower=1> N;
  int<lower=1> teams;
  array[N] int<lower=1, upper=teams> home;
  array[N] int<lower=1, upper=teams> away;
  array[N] int<lower=0> home_goals;
  array[N] int<lower=0> away_goals;
}
parameters {
  real mu;
  real advantage;
  real<lower=0> sd_attack;
  real<lower=0> sd_defence;
  vector[teams] attack;
  vector[teams] defence;
}
model {
  mu ~ normal(0, 1);
  advantage ~ normal(0, 0.5);
  sd_attack ~ normal(0, 0.5);
  sd_defence ~ normal(0, 0.5);
  attack ~ normal(0, sd_attack);
  defence ~ normal(0, sd_defence);
  home_goals ~ poisson_log(mu + advantage + attack[home] - defence[away]);
  away_goals ~ poisson_log(mu + attack[away] - defence[home]);
}
