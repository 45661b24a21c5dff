// Recombinants between a marker and a disease in families of seven children, where it isn't known which of the parent's
// chromosomes carries what, so that recombinants and others may be exchanged in each family: Ott, Analysis of Human Genetic
// Linkage (1999), chapter 5; simulated. A fraction and one less it are equally likely.
// expect: multimodal recombination
// sample: --chains 8
data {
  int<lower=1> F;
  array[F] int<lower=0> k;
  int<lower=1> n;
}
parameters {
  real<lower=0, upper=1> recombination;
}
model {
  recombination ~ beta(1, 1);
  for (f in 1:F) {
    target += log_mix(0.5, binomial_lpmf(k[f] | n, recombination), binomial_lpmf(n - k[f] | n, recombination));
  }
}
