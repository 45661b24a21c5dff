// A normal prior of a logit, seen as a prior of the probability: wide ones say that the probability is near 0 or 1.
//   credo expect examples/texts/prior_probability.stan --data examples/texts/prior_probability.json --of 'p > 0.99 || p < 0.01'
data {
  real<lower=0> omega;
}
parameters {
  real alpha;
}
transformed parameters {
  real p = inv_logit(alpha);
}
model {
  alpha ~ normal(0, omega);
}
