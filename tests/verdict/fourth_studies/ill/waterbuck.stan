// Counts of a herd of waterbuck from the air on five days, binomial, of which neither the number of animals nor the share seen is
// known; the prior of the number is one over it: Carroll and Lombard, Journal of the American Statistical Association 80 (1985);
// Raftery, Biometrika 75 (1988). Its posterior mean doesn't exist.
// expect: heavy_tails animals
// expect: flat_direction animals p
// may: animals p
data {
  int<lower=1> D;
  array[D] int<lower=0> seen;
}
parameters {
  real<lower=max(seen)> animals;
  real<lower=0, upper=1> p;
}
model {
  target += -log(animals);
  p ~ beta(1, 1);
  for (d in 1:D) {
    target += lchoose(animals, seen[d]) + seen[d] * log(p) + (animals - seen[d]) * log1m(p);
  }
}
