// Thirty of thirty, and the odds of it: they have no mean.
// expect: heavy_tails odds
// level: note
data {
  int<lower=1> n;
  int<lower=0> worked;
}
parameters {
  real<lower=0, upper=1> p;
}
model {
  worked ~ binomial(n, p);
}
generated quantities {
  real odds = p / (1 - p);  // here
}
