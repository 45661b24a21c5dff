// Yearly counts of large earthquakes, a hidden Markov model with two ordered rates: Zucchini, MacDonald and Langrock, Hidden
// Markov Models for Time Series, chapter 2; simulated.
data {
  int<lower=1> T;
  array[T] int<lower=0> quakes;
}
parameters {
  positive_ordered[2] rate;
  array[2] simplex[2] transition;
}
model {
  vector[2] forward;
  rate ~ gamma(2, 0.3);
  transition[1] ~ dirichlet([8, 2]');
  transition[2] ~ dirichlet([2, 8]');
  for (k in 1:2) {
    forward[k] = -log(2) + poisson_lpmf(quakes[1] | rate[k]);
  }
  for (t in 2:T) {
    vector[2] next;
    for (k in 1:2) {
      next[k] = log_sum_exp(forward[1] + log(transition[1, k]), forward[2] + log(transition[2, k]))
                + poisson_lpmf(quakes[t] | rate[k]);
    }
    forward = next;
  }
  target += log_sum_exp(forward);
}
generated quantities {
  real share_of_quiet_years = transition[2, 1] / (transition[2, 1] + transition[1, 2]);
  real mean_quiet_spell = inv(transition[1, 2]);
}
