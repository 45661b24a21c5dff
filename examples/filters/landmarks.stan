// A robot on a line that doesn't know where its K landmarks are: FastSLAM [murphy2023, 13.5.2]. Given the robot's path landmarks are
// independent and normal, so that a particle is a path with the mean and the variance of each of them, which a Kalman filter of one
// dimension follows: 2 K numbers, and a cost that grows with K, where one law of all landmarks has K^2 covariances.
//   credo filter examples/filters/landmarks.stan --data examples/filters/landmarks.json --particles 1000
// The state is (place, means, variances), of the outcomes before its time; `seen` is the outcome of the time before. The last outcome is
// missing, so that the last state knows all. landmarks.json was simulated.
functions {
  vector initial_rng(int K, real far) {
    return append_row(0, append_row(zeros_vector(K), rep_vector(far^2, K)));
  }
  vector transition_rng(vector before, int K, row_vector seen, real step, real q, real r) {
    vector[K] mean = before[2:(K + 1)];
    vector[K] variance = before[(K + 2):(2 * K + 1)];
    vector[K] gain = variance ./ (variance + r^2);
    mean += gain .* (seen' - (mean - before[1]));
    return append_row(normal_rng(before[1] + step, q), append_row(mean, (1 - gain) .* variance));
  }
  real observation_lpdf(row_vector y, vector x, int K, real r) {
    return normal_lpdf(y' | x[2:(K + 1)] - x[1], sqrt(x[(K + 2):(2 * K + 1)] + r^2));
  }
}
data {
  int<lower=1> T, K;
  matrix[T, K] y;     // landmark less robot, with noise r
  vector[T] step;     // what the robot meant to go, with noise q
  real<lower=0> q, r, far;
}
transformed data {
  matrix[T, K] seen = append_row(rep_row_vector(0, K), y[1:(T - 1), ]);
}
