// Effect of a drug in four subgroups, with Cauchy priors of scale one; nobody of the fourth subgroup took part: Jones et al.,
// Clinical Trials 8 (2011), on subgroups; simulated. The mean of the fourth effect doesn't exist. Remedied.
data {
  int<lower=1> N;
  int<lower=1> G;
  array[N] int<lower=1, upper=G> subgroup;
  vector[N] response;
}
parameters {
  vector[G] effect;
  real<lower=0> sigma;
}
model {
  effect ~ normal(0, 2);
  sigma ~ normal(0, 3);
  response ~ normal(effect[subgroup], sigma);
}
