// Counts of four families of bacteria in thirty samples of gut, Dirichlet-multinomial: Mosimann, Biometrika 49 (1962); La Rosa et
// al., PLOS ONE 7 (2012); simulated.
data {
  int<lower=1> N;
  array[N, 4] int<lower=0> counts;
}
parameters {
  simplex[4] share;
  real<lower=0> precision;
}
model {
  share ~ dirichlet(rep_vector(1, 4));
  precision ~ gamma(2, 0.1);
  for (n in 1:N) {
    counts[n] ~ dirichlet_multinomial(precision * share);
  }
}
