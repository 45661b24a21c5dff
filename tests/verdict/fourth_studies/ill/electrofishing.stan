// Trout taken out of a stretch of stream in four passes, of which the later ones got no fewer; the number left is a positive real
// number without a prior: Zippin, Biometrics 12 (1956); Mantyniemi et al., Canadian Journal of Fisheries and Aquatic Sciences 62
// (2005); made-up figures. It may be as large as it likes.
// expect: improper left/p
// expect: flat_direction left p
// may: left p
data {
  int<lower=1> K;
  array[K] int<lower=0> taken;
}
parameters {
  real<lower=0> left;
  real<lower=0, upper=1> p;
}
model {
  real there = left + sum(taken);
  p ~ beta(1, 1);
  for (k in 1:K) {
    target += lchoose(there, taken[k]) + taken[k] * log(p) + (there - taken[k]) * log1m(p);
    there -= taken[k];
  }
}
