// Topics of documents, each word's topic summed out.
data {
  int<lower=2> K;
  int<lower=2> V;
  int<lower=1> M;
  int<lower=1> N;
  array[N] int<lower=1, upper=V> word;
  array[N] int<lower=1, upper=M> doc;
  simplex[K] share;
}
parameters {
  array[M] simplex[K] theta;
  array[K] simplex[V] phi;
}
model {
  for (m in 1:M) {
    theta[m] ~ dirichlet(10 * share);
  }
  for (k in 1:K) {
    phi[k] ~ dirichlet(rep_vector(2, V));
  }
  for (n in 1:N) {
    vector[K] gamma;
    for (k in 1:K) {
      gamma[k] = log(theta[doc[n], k]) + log(phi[k, word[n]]);
    }
    target += log_sum_exp(gamma);
  }
}
