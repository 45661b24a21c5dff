// robot.stan as a hidden Markov chain, whose cells are summed over exactly:
//   credo exact examples/filters/robot_exact.stan --data examples/filters/robot.json
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
