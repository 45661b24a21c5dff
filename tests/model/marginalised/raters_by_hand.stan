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
}
transformed parameters {
  array[N] vector[K] l;
  for (n in 1:N) {
    for (k in 1:K) {
      l[n, k] = log(share[k]);
      for (j in 1:J) {
        l[n, k] += log(theta[j, k, rating[n, j]]);
      }
    }
  }
}
model {
  share ~ dirichlet(rep_vector(2, K));
  for (j in 1:J) {
    for (k in 1:K) {
      theta[j, k] ~ dirichlet(skill[k]);
    }
  }
  for (n in 1:N) {
    target += log_sum_exp(l[n]);
  }
}
generated quantities {
  matrix[N, K] p;
  for (n in 1:N) {
    p[n] = softmax(l[n])';
  }
}
