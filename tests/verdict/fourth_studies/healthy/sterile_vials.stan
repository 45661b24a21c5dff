// Vials of a vaccine that were found sterile, by three lines of filling with their own shares near one: Hamada et al., Bayesian
// Reliability (2008), chapter 4; made-up figures.
data {
  int<lower=1> L;
  array[L] int<lower=0> vials;
  array[L] int<lower=0> sterile;
}
parameters {
  vector<lower=0, upper=1>[L] p;
}
model {
  p ~ beta(9, 1);
  sterile ~ binomial(vials, p);
}
generated quantities {
  real hundred_sterile = prod(p) ^ 100;
}
