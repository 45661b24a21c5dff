// Answers of thirty persons to eight items, the Rasch model: Rasch (1960); Fox, Bayesian Item Response Modeling, chapter 2;
// simulated. Somebody who solves all items tells little about his ability.
data {
  int<lower=1> I;
  int<lower=1> J;
  array[I, J] int<lower=0, upper=1> solved;
}
parameters {
  vector[I] ability;
  vector[J] difficulty;
  real<lower=0> sd_ability;
}
model {
  ability ~ std_normal();
  difficulty ~ normal(0, 2);
  sd_ability ~ lognormal(0, 0.5);
  for (i in 1:I) {
    solved[i] ~ bernoulli_logit(sd_ability * ability[i] - difficulty);
  }
}
generated quantities {
  array[I] int<lower=0, upper=J> score;
  for (i in 1:I) {
    score[i] = sum(bernoulli_logit_rng(sd_ability * ability[i] - difficulty));
  }
}
