// Shares of components whose rows have no likelihood [murphy2023, 10.2.6]: coordinate ascent lets large counts grow and small ones vanish, until one
// component has all rows.
//   credo approximate examples/texts/shares_alone.stan --data examples/texts/shares_alone.json --method cavi
data {
  int<lower=2> K;
  int<lower=1> N;
  real<lower=0> alpha;
}
parameters {
  simplex[K] theta;
}
model {
  theta ~ dirichlet(rep_vector(alpha, K));
  target += N * log_sum_exp(log(theta));  // each row has some label
}
