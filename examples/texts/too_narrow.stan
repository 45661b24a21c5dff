// Outcomes of a wider law than the model has, whose likelihood counts with a power: 1 is the posterior. A smaller power isn't, and
// predicts better: a score of predictions says nothing of how well a posterior was computed.
//   credo sample examples/texts/too_narrow.stan --data examples/texts/too_narrow.json
data {
  int<lower=0> N, M;
  vector[N] y;
  vector[M] next;
  real<lower=0> power;
}
parameters {
  real m;
}
model {
  m ~ normal(0, 10);
  target += power * normal_lpdf(y | m, 1);
}
generated quantities {
  vector[M] log_lik;
  for (k in 1:M) log_lik[k] = normal_lpdf(next[k] | m, 1);
}
