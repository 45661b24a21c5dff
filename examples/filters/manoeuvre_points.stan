// The target of manoeuvre.stan for particles that are points: the regime is the fifth element of the state.
//   credo filter examples/filters/manoeuvre_points.stan --data examples/filters/manoeuvre.json
functions {
  real regime_after_rng(real before) {  // stays with 0.8, else one of the two others
    real u = uniform_rng(0, 1);
    if (u < 0.8) return before;
    if (u < 0.9) return before == 1 ? 2 : 1;
    return before == 3 ? 2 : 3;
  }
  vector initial_rng() {
    return append_row(to_vector(normal_rng(zeros_vector(4), 1)), categorical_rng(rep_vector(1.0 / 3, 3)));
  }
  vector transition_rng(vector before) {
    vector[4] turn = [-1.225, -0.35, 1.225, 0.35]';
    real regime = regime_after_rng(before[5]);
    real sign = regime == 2 ? 1 : regime == 3 ? -1 : 0;
    vector[4] m = [before[1] + 0.1 * before[2], before[2], before[3] + 0.1 * before[4], before[4]]' + sign * turn;
    return append_row(to_vector(normal_rng(m, sqrt(0.2))), regime);
  }
  real observation_lpdf(row_vector y, vector z) {
    return normal_lpdf(y | z[1:4]', sqrt([20, 10, 20, 10]));
  }
}
data {
  int T;
  matrix[T, 4] y;
}
