// Approval of a president, polled weekly: a random walk, seen with the sampling error of a poll: Jackman, Australian Journal of
// Political Science 40 (2005); simulated. Opinion hardly moves. Remedied.
// sample: --adapt-delta 0.95
data {
  int<lower=2> T;
  vector[T] poll;
  real<lower=0> error;
}
parameters {
  real first;
  vector[T - 1] step;
  real<lower=0> drift;
}
transformed parameters {
  vector[T] level = first + append_row(0, drift * cumulative_sum(step));
}
model {
  first ~ normal(50, 10);
  drift ~ normal(0, 2);
  step ~ std_normal();
  poll ~ normal(level, error);
}
generated quantities {
  real next_week = normal_rng(level[T], drift);
}
