// A logistic regression, with a covariate on its own scale of thousands.
data {
  int<lower=1> N;
  vector[N] distance;
  vector[N] arsenic;
  array[N] int<lower=0, upper=1> switched;
}
parameters {
  real alpha;
  real<offset=0, multiplier=0.001> per_metre;
  real beta;
}
model {
  alpha ~ normal(0, 2.5);
  per_metre ~ normal(0, 0.01);
  beta ~ normal(0, 1);
  switched ~ bernoulli_logit(alpha + per_metre * distance + beta * arsenic);
}
generated quantities {
  real median_distance = -(alpha + beta) / per_metre;
}
