// A robot in an office that it has a map of, K free cells, and doesn't know where it is [murphy2023, 13.3.3]. At each time a sonar tells
// the distances to the walls in four directions, with noise; then it goes one cell, or slips and stays. The same text is filtered by
// particles and, since cells are few, summed over exactly as a hidden Markov chain:
//   credo filter examples/filters/robot.stan --data examples/filters/robot.json --particles 2000
//   credo exact examples/filters/robot.stan --data examples/filters/robot.json
// to[a, k] is where action a (left, right, up, down) leads from cell k; distance is what the sonar would tell without noise.
functions {
  int initial_rng(int K) {
    return categorical_rng(rep_vector(1.0 / K, K));
  }
  int transition_rng(int before, int action, array[,] int to, real slip) {
    return bernoulli_rng(slip) == 1 ? before : to[action, before];
  }
  real observation_lpdf(row_vector y, int z, matrix distance, real noise) {
    return normal_lpdf(y | distance[z], noise);
  }
}
data {
  int<lower=1> T, K;
  int<lower=0, upper=T> seen;  // outcomes that credo exact knows: of z[seen] it tells what a filter does
  matrix[T, 4] y;
  array[T] int<lower=1, upper=4> action;  // that led to this time; the first one doesn't count
  array[4, K] int<lower=1, upper=K> to;
  matrix[K, 4] distance;
  real<lower=0> noise;
  real<lower=0, upper=1> slip;
}
parameters {
  array[T] int<lower=1, upper=K> z;
}
model {
  z[1] ~ categorical(rep_vector(1.0 / K, K));
  for (t in 2:T)
    target += log(slip * (z[t] == z[t - 1]) + (1 - slip) * (z[t] == to[action[t], z[t - 1]]));
  for (t in 1:seen) y[t] ~ normal(distance[z[t]], noise);
}
