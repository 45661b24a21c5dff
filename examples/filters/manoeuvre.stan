// A target that flies straight, or turns one way or the other, seen with noise [murphy2023, 13.5.1]:
//   credo filter examples/filters/manoeuvre.stan --data examples/filters/manoeuvre.json --method rao-blackwellised
// The state is (x, its velocity, y, its velocity); given the regimes it is linear and Gaussian.
functions {
  vector moved(vector z, int regime) {
    vector[4] turn = [-1.225, -0.35, 1.225, 0.35]';
    real sign = regime == 2 ? 1 : regime == 3 ? -1 : 0;
    return [z[1] + 0.1 * z[2], z[2], z[3] + 0.1 * z[4], z[4]]' + sign * turn;
  }
  vector initial_rng() { return to_vector(normal_rng(zeros_vector(4), 1)); }
  real initial_lpdf(vector z) { return normal_lpdf(z | 0, 1); }
  vector transition_rng(vector before, int regime) {
    return to_vector(normal_rng(moved(before, regime), sqrt(0.2)));
  }
  real transition_lpdf(vector z, vector before, int regime) {
    return normal_lpdf(z | moved(before, regime), sqrt(0.2));
  }
  real observation_lpdf(row_vector y, vector z) {
    return normal_lpdf(y | z', sqrt([20, 10, 20, 10]));
  }
  vector initial_regimes() { return rep_vector(1.0 / 3, 3); }
  vector next_regimes(int regime) {
    vector[3] p = rep_vector(0.1, 3);
    p[regime] = 0.8;
    return p;
  }
}
data {
  int T;
  matrix[T, 4] y;
}
