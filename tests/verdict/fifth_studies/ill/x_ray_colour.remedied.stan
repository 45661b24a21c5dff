// Colour of an X-ray source, fourteen soft photons and no hard one, as the ratio of both rates: Park et al., Astrophysical Journal
// 652 (2006). The density of the hard rate isn't zero at zero, so that the ratio has no mean. Remedied: the fractional difference.
data {
  int<lower=0> soft_counts;
  int<lower=0> hard_counts;
}
parameters {
  real<lower=0> soft;
  real<lower=0> hard;
}
model {
  soft ~ gamma(2, 0.1);
  hard ~ gamma(2, 0.5);
  soft_counts ~ poisson(soft);
  hard_counts ~ poisson(hard);
}
generated quantities {
  real hardness = (hard - soft) / (hard + soft);
}
