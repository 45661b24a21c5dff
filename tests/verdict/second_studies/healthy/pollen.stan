// Pollen of four taxa in twelve layers of a lake's mud, a simplex for every layer around a common one: Mosimann, Biometrika 49
// (1962); Paciorek and McLachlan, Journal of the American Statistical Association 104 (2009); simulated. Rare taxa have shares
// close to zero.
data {
  int<lower=1> J;
  int<lower=2> K;
  array[J, K] int<lower=0> grains;
}
parameters {
  simplex[K] mean_share;
  real<lower=0> concentration;
  array[J] simplex[K] share;
}
model {
  mean_share ~ dirichlet(rep_vector(1, K));
  concentration ~ gamma(3, 0.1);
  share ~ dirichlet(concentration * mean_share);
  for (j in 1:J) {
    grains[j] ~ multinomial(share[j]);
  }
}
generated quantities {
  real ratio = mean_share[4] / mean_share[1];
}
