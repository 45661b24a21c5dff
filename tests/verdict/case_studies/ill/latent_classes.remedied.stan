// Answers to five yes-or-no questions, two latent classes of respondents: Lazarsfeld and Henry, Latent Structure Analysis;
// Congdon, Bayesian Statistical Modelling; simulated. A row a pattern of answers.
// Remedied: the second class says yes more often.
data {
  int<lower=1> P;
  int<lower=1> Q;
  array[P, Q] int<lower=0, upper=1> pattern;
  array[P] int<lower=1> persons;
}
parameters {
  simplex[2] share;
  array[Q] ordered[2] logit_yes;
}
model {
  matrix[2, Q] yes;
  share ~ dirichlet([2, 2]');
  for (q in 1:Q) {
    yes[ : , q] = inv_logit(logit_yes[q]);
    logit_yes[q] ~ normal(0, 1.5);
  }
  for (p in 1:P) {
    target += persons[p] * log_sum_exp(log(share[1]) + bernoulli_lpmf(pattern[p] | yes[1]),
                                       log(share[2]) + bernoulli_lpmf(pattern[p] | yes[2]));
  }
}
