// Batting averages of sixteen players in their first twenty times at bat, centred hierarchical model on the logit scale: Efron
// and Morris, Journal of the American Statistical Association 70 (1975); Stan case study "Hierarchical Partial Pooling";
// simulated with little difference between the players.
// expect: funnel spread/skill
// expect: divergences spread/skill
// expect: missing_mass spread/skill
// may: spread skill
data {
  int<lower=1> J;
  array[J] int<lower=1> at_bats;
  array[J] int<lower=0> hits;
}
parameters {
  real mu;
  real<lower=0> spread;
  vector[J] skill;
}
model {
  mu ~ normal(-1, 1);
  spread ~ normal(0, 0.5);
  skill ~ normal(mu, spread);
  hits ~ binomial_logit(at_bats, skill);
}
