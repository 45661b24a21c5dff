// Raters of unequal skill label items; the true classes are discrete parameters [dawid1979].
data {
  int<lower=0> N; // items
  int<lower=1> J; // raters
  int<lower=1> K; // classes
  array[N, J] int<lower=1, upper=K> rating;
  array[K] vector<lower=0>[K] skill; // prior of the ratings of each true class
}
parameters {
  simplex[K] share;
  array[J, K] simplex[K] theta;
  array[N] int<lower=1, upper=K> class;
}
model {
  share ~ dirichlet(rep_vector(2, K));
  for (j in 1:J) {
    for (k in 1:K) {
      theta[j, k] ~ dirichlet(skill[k]);
    }
  }
  class ~ categorical(share);
  for (n in 1:N) {
    for (j in 1:J) {
      rating[n, j] ~ categorical(theta[j, class[n]]);
    }
  }
}
