// A mixture of three normal distributions, by rows in batches [murphy2023, 10.3.6]; 3,000 simulated rows with means (2, 0), (-2, -4), (-2, 4).
//   credo approximate examples/texts/three_clusters.stan --data examples/texts/three_clusters.json --method cavi --batch 500
data {
  int<lower=1> N, K;
  matrix[N, 2] x;
}
parameters {
  simplex[K] theta;
  matrix[K, 2] mu;
  matrix<lower=0>[K, 2] tau;
}
model {
  theta ~ dirichlet(rep_vector(1, K));
  to_vector(mu) ~ normal(0, 1);
  to_vector(tau) ~ gamma(5, 5);
  for (n in 1:N) {
    vector[K] lp = log(theta);
    for (k in 1:K)
      for (d in 1:2) lp[k] += normal_lpdf(x[n, d] | mu[k, d], inv_sqrt(tau[k, d]));
    target += log_sum_exp(lp);
  }
}
