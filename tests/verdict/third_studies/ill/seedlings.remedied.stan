// Nineteen of twenty seeds came up. The probability has a lower bound and no upper one: from questions on the Stan forum about
// rejected proposals. Remedied.
data {
  int<lower=0> seeds;
  int<lower=0> came_up;
}
parameters {
  real<lower=0, upper=1> p;
}
model {
  p ~ beta(2, 2);
  came_up ~ binomial(seeds, p);
}
generated quantities {
  real log_odds = logit(p);
}
