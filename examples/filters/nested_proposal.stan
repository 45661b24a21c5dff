// The model of nonmarkov.stan with a proposal that is itself importance sampling [murphy2023, 13.4.4]: of M candidates of the
// transition one is taken by its weight p(y_t | candidate), and the particle is weighed by the mean of these M weights, the last
// element of the state. That mean is an unbiased estimate of p(y_t | past), so that the likelihood stays unbiased for every M. M = 1
// is the bootstrap filter; with more, the locally optimal proposal comes near, at M times the price.
//   credo filter examples/filters/nested_proposal.stan --data examples/filters/nonmarkov.json --data examples/filters/candidates.json
functions {
  // m + q e: of M candidates for z_t; the sum of the past is c + z_t.
  vector chosen_rng(real m, real c, real y, real q, real r, int M) {
    vector[M] z;
    vector[M] log_weight;
    for (k in 1:M) {
      z[k] = normal_rng(m, q);
      log_weight[k] = normal_lpdf(y | c + z[k], r);
    }
    real chosen = z[categorical_rng(softmax(log_weight))];
    return [chosen, c + chosen, log_sum_exp(log_weight) - log(M)]';
  }
  vector initial_rng(real y, real q, real r, int M) {
    return chosen_rng(0, 0, y, q, r, M);
  }
  vector transition_rng(vector before, real y, real phi, real q, real beta, real r, int M) {
    return chosen_rng(phi * before[1], beta * before[2], y, q, r, M);
  }
  real observation_lpdf(real y, vector x) {
    return x[3];
  }
}
data {
  int<lower=1> T;
  vector[T] y;
  real phi, beta;
  real<lower=0> q, r;
  int<lower=1> M;
}
