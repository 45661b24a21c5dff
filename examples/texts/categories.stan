// Probabilities of categories from their outcomes, with a symmetric Dirichlet prior: alpha = 1 is Laplace's rule, 1/2 that of Jeffreys, 1/K that of Schuermann
// and Grassberger.
data {
  int<lower=2> K;
  int<lower=0> N;
  array[N] int<lower=1, upper=K> x;
  real<lower=0> alpha;
}
parameters {
  simplex[K] p;
}
model {
  p ~ dirichlet(rep_vector(alpha, K));
  x ~ categorical(p);
}
