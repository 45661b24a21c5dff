data {
  int<lower=1> N; // items
  int<lower=1> J; // raters
  int<lower=1> K; // classes
  array[N, J] int<lower=1, upper=K> rating;
  array[K] vector<lower=0>[K] skill;
}
parameters {
  simplex[K] share;
  array[J, K] simplex[K] theta;
  array[N] int<lower=1, upper=K> z;
}
model {
  share ~ dirichlet(rep_vector(2, K));
  for (j in 1:J) {
    for (k in 1:K) {
      theta[j, k] ~ dirichlet(skill[k]);
    }
  }
  z ~ categorical(share);
  for (n in 1:N) {
    for (j in 1:J) {
      rating[n, j] ~ categorical(theta[j, z[n]]);
    }
  }
}
generated quantities {
  matrix[N, K] p;
  for (n in 1:N) {
    for (k in 1:K) {
      p[n, k] = z[n] == k;
    }
  }
}
