// Standardised scores of seventy pupils in five subjects, each correlation a number between -1 and 1 of its own: Barnard,
// McCulloch and Meng, Statistica Sinica 10 (2000); Lewandowski, Kurowicka and Joe, Journal of Multivariate Analysis 100 (2009);
// simulated. Most such numbers make no correlation matrix.
// expect: initial_values r
// expect: missing_constraint r
data {
  int<lower=1> N;
  int<lower=2> K;
  array[N] vector[K] score;
}
parameters {
  vector<lower=-1, upper=1>[(K * (K - 1)) %/% 2] r;
}
model {
  matrix[K, K] R = identity_matrix(K);
  int k = 0;
  for (i in 2:K) {
    for (j in 1:(i - 1)) {
      k += 1;
      R[i, j] = r[k];
      R[j, i] = r[k];
    }
  }
  score ~ multi_normal(rep_vector(0, K), R);
}
