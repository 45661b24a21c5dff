// Thirty of thirty: a probability close to one, its bound.
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
