// Answers to five yes-or-no questions, two latent classes of respondents: Lazarsfeld and Henry, Latent Structure Analysis;
// Congdon, Bayesian Statistical Modelling; simulated. A row a pattern of answers.
// sample: --chains 8
// expect: label_switching yes
// may: share
data {
  int<lower=1> P;
  int<lower=1> Q;
  array[P, Q] int<lower=0, upper=1> pattern;
  array[P] int<lower=1> persons;
}
parameters {
  simplex[2] share;
  matrix<lower=0, upper=1>[2, Q] yes;
}
model {
  share ~ dirichlet([2, 2]');
  to_vector(yes) ~ beta(2, 2);
  for (p in 1:P) {
    target += persons[p] * log_sum_exp(log(share[1]) + bernoulli_lpmf(pattern[p] | yes[1]),
                                       log(share[2]) + bernoulli_lpmf(pattern[p] | yes[2]));
  }
}
