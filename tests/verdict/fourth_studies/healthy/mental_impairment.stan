// Mental impairment in four grades by (standardised) life events, ordered logit: Agresti, Analysis of Ordinal Categorical Data
// (2010), section 3.3; simulated.
data {
  int<lower=1> N;
  vector[N] events;
  array[N] int<lower=1, upper=4> grade;
}
parameters {
  real beta;
  ordered[3] cut;
}
model {
  beta ~ normal(0, 1.5);
  cut ~ normal(0, 2.5);
  grade ~ ordered_logistic(beta * events, cut);
}
generated quantities {
  int grade_after_many = ordered_logistic_rng(2 * beta, cut);
}
