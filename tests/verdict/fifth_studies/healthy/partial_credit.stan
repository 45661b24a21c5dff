// Attitudes to science by five questions with three answers, the partial credit model: Masters, Psychometrika 47 (1982); Fox, Bayesian Item Response Modeling (2010); simulated. Accused: eighty abilities of few answers each, people who give the extreme answer to all, answers as whole numbers.
data {
  int<lower=1> P;
  int<lower=1> I;
  array[P, I] int<lower=1, upper=3> answer;
}
parameters {
  vector[P] ability;
  array[I] vector[2] step;
  real<lower=0> slope;
}
model {
  ability ~ std_normal();
  slope ~ lognormal(0, 0.5);
  for (i in 1:I) {
    step[i] ~ normal(0, 1.5);
    for (p in 1:P) {
      vector[3] eta = [0, slope * ability[p] - step[i, 1], 2 * slope * ability[p] - step[i, 1] - step[i, 2]]';
      answer[p, i] ~ categorical_logit(eta);
    }
  }
}
generated quantities {
  array[I] int answer_of_newcomer;
  {
    real newcomer = std_normal_rng();
    for (i in 1:I) {
      answer_of_newcomer[i] = categorical_logit_rng([0, slope * newcomer - step[i, 1],
                                                     2 * slope * newcomer - step[i, 1] - step[i, 2]]');
    }
  }
}
