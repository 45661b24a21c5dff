// The model of nonmarkov.stan with its whole path as the state: an outcome may read all of it. z_s is element s, and those that are
// still to come are 0. nonmarkov.stan keeps the sum of the past, which is enough, and costs less.
//   credo filter examples/filters/nonmarkov_path.stan --data examples/filters/nonmarkov.json
functions {
  vector initial_rng(int T, real q) {
    vector[T] path = zeros_vector(T);
    path[1] = normal_rng(0, q);
    return path;
  }
  vector transition_rng(vector before, int t, int T, real phi, real q) {
    vector[T] path = before;
    path[t] = normal_rng(phi * before[t - 1], q);
    return path;
  }
  real observation_lpdf(real y, vector path, int t, real beta, real r) {
    real m = 0;
    for (s in 1:t) m = beta * m + path[s];
    return normal_lpdf(y | m, r);
  }
}
data {
  int<lower=1> T;
  vector[T] y;
  real phi, beta;
  real<lower=0> q, r;
}
