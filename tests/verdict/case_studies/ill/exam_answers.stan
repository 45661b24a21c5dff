// Answers of 25 persons to six items, abilities and difficulties with equal, wide priors: Bafumi et al. (2005); Fox, Bayesian
// Item Response Modeling, section 4.4; simulated. Only differences of abilities and difficulties are known.
// expect: flat_direction ability difficulty
data {
  int<lower=1> I;
  int<lower=1> J;
  array[I, J] int<lower=0, upper=1> solved;
}
parameters {
  vector[I] ability;
  vector[J] difficulty;
}
model {
  ability ~ normal(0, 100);
  difficulty ~ normal(0, 100);
  for (i in 1:I) {
    solved[i] ~ bernoulli_logit(ability[i] - difficulty);
  }
}
