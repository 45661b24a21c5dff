// No failure in twelve trials; the probability was declared as any number.
// expect: missing_constraint p
data {
  int<lower=1> n;
  int<lower=0> failures;
}
parameters {
  real p;  // here
}
model {
  p ~ beta(1, 1);  // here
  failures ~ binomial(n, p);  // here
}
