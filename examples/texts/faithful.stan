// Old Faithful by a mixture with more components than it needs [bishop2006, 10.2; murphy2023, 10.2.6]: eruptions and the waiting times
// before the next ones, standardised; data of Azzalini and Bowman (1990), as in R's package datasets.
//   credo approximate examples/texts/faithful.stan --data examples/texts/faithful.json --method cavi --join mu+Lambda
//   credo info examples/texts/faithful.stan --data examples/texts/faithful.json --messages
data {
  int<lower=1> N, K;
  vector[N] eruptions;
  vector[N] waiting;
}
transformed data {
  array[N] vector[2] x;
  for (n in 1:N) {
    x[n, 1] = (eruptions[n] - mean(eruptions)) / sd(eruptions);
    x[n, 2] = (waiting[n] - mean(waiting)) / sd(waiting);
  }
}
parameters {
  simplex[K] theta;
  array[K] vector[2] mu;
  array[K] cov_matrix[2] Lambda;
}
model {
  theta ~ dirichlet(rep_vector(0.001, K));
  for (k in 1:K) {
    Lambda[k] ~ wishart(3, identity_matrix(2));
    mu[k] ~ multi_normal_prec(rep_vector(0, 2), 0.1 * Lambda[k]);
  }
  for (n in 1:N) {
    vector[K] lp = log(theta);
    for (k in 1:K) lp[k] += multi_normal_prec_lpdf(x[n] | mu[k], Lambda[k]);
    target += log_sum_exp(lp);
  }
}
