// Counts whose log rate follows an autoregression with known parameters: linear Gaussian states, Poisson outcomes
// (credo smooth --method cvi, --method ep).
functions {
  real initial_rng() {
    return normal_rng(1, 0.5 / sqrt(1 - 0.8 ^ 2));
  }
  real initial_lpdf(real x) {
    return normal_lpdf(x | 1, 0.5 / sqrt(1 - 0.8 ^ 2));
  }
  real transition_rng(real before) {
    return normal_rng(1 + 0.8 * (before - 1), 0.5);
  }
  real transition_lpdf(real x, real before) {
    return normal_lpdf(x | 1 + 0.8 * (before - 1), 0.5);
  }
  real observation_lpmf(int y, real x) {
    return poisson_log_lpmf(y | x);
  }
}
data {
  int T;
  array[T] int y;
}
