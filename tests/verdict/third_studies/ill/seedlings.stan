// Nineteen of twenty seeds came up. The probability has a lower bound and no upper one: from questions on the Stan forum about
// rejected proposals.
// expect: missing_constraint p
data {
  int<lower=0> seeds;
  int<lower=0> came_up;
}
parameters {
  real<lower=0> p;
}
model {
  came_up ~ binomial(seeds, p);
}
generated quantities {
  real odds = p / (1 - p);
}
