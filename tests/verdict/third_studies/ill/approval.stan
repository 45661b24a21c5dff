// Approval of a president, polled weekly: a random walk, seen with the sampling error of a poll: Jackman, Australian Journal of
// Political Science 40 (2005); simulated. Opinion hardly moves.
// expect: funnel drift
// may: level
data {
  int<lower=2> T;
  vector[T] poll;
  real<lower=0> error;
}
parameters {
  vector[T] level;
  real<lower=0> drift;
}
model {
  level[1] ~ normal(50, 10);
  drift ~ normal(0, 2);
  level[2:T] ~ normal(level[1:T - 1], drift);
  poll ~ normal(level, error);
}
generated quantities {
  real next_week = normal_rng(level[T], drift);
}
