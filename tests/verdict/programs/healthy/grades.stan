// An ordinal regression.
data {
  int<lower=1> N;
  int<lower=2> K;
  vector[N] x;
  array[N] int<lower=1, upper=K> grade;
}
parameters {
  real beta;
  ordered[K - 1] cut;
}
model {
  beta ~ normal(0, 2);
  cut ~ normal(0, 3);
  grade ~ ordered_logistic(beta * x, cut);
}
