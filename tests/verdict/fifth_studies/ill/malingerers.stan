// Right answers of thirty persons to a test of memory, some of whom feign amnesia, a mixture of two binomial distributions: Lee
// and Wagenmakers, Bayesian Cognitive Modeling (2013), chapter 6; simulated. Nothing says which group is which.
// expect: label_switching skill
// may: share
// sample: --chains 8
data {
  int<lower=1> N;
  int<lower=1> questions;
  array[N] int<lower=0, upper=questions> correct;
}
parameters {
  vector[2] skill;
  real<lower=0, upper=1> share;
}
model {
  skill ~ normal(1, 1.5);
  share ~ beta(2, 2);
  for (n in 1:N) {
    target += log_mix(share, binomial_logit_lpmf(correct[n] | questions, skill[1]), binomial_logit_lpmf(correct[n] | questions, skill[2]));
  }
}
