// Colour of an X-ray source, fourteen soft photons and no hard one, as the ratio of both rates: Park et al., Astrophysical Journal
// 652 (2006). The density of the hard rate isn't zero at zero, so that the ratio has no mean.
// expect: heavy_tails hardness
// may: hard
// level: note
data {
  int<lower=0> soft_counts;
  int<lower=0> hard_counts;
}
parameters {
  real<lower=0> soft;
  real<lower=0> hard;
}
model {
  soft ~ gamma(1, 0.01);
  hard ~ gamma(1, 0.01);
  soft_counts ~ poisson(soft);
  hard_counts ~ poisson(hard);
}
generated quantities {
  real hardness = soft / hard;
}
