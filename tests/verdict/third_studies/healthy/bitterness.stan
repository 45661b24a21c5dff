// Bitterness of wine in five grades by temperature, ordered logistic: Randall, Biometrical Journal 31 (1989); Christensen,
// ordinal; simulated.
data {
  int<lower=1> N;
  vector[N] warm;
  array[N] int<lower=1, upper=5> grade;
}
parameters {
  real beta;
  ordered[4] cut;
}
model {
  beta ~ normal(0, 2);
  cut ~ normal(0, 3);
  grade ~ ordered_logistic(beta * warm, cut);
}
generated quantities {
  array[N] int again;
  vector[5] p;
  for (n in 1:N) {
    again[n] = ordered_logistic_rng(beta * warm[n], cut);
  }
  p[1] = 1 - inv_logit(-cut[1]);
  for (k in 2:4) {
    p[k] = inv_logit(-cut[k - 1]) - inv_logit(-cut[k]);
  }
  p[5] = inv_logit(-cut[4]);
}
