// Movements of a foetal lamb, a hidden Markov model whose two states have any order: Leroux and Puterman (1992); Zucchini,
// MacDonald and Langrock, Hidden Markov Models for Time Series; simulated.
// Remedied: ordered rates.
data {
  int<lower=1> T;
  array[T] int<lower=0> movements;
}
parameters {
  positive_ordered[2] rate;
  array[2] simplex[2] transition;
}
model {
  vector[2] forward;
  rate ~ gamma(2, 0.3);
  for (k in 1:2) {
    forward[k] = poisson_lpmf(movements[1] | rate[k]);
  }
  for (t in 2:T) {
    vector[2] next;
    for (k in 1:2) {
      next[k] = log_sum_exp(forward[1] + log(transition[1, k]), forward[2] + log(transition[2, k]))
                + poisson_lpmf(movements[t] | rate[k]);
    }
    forward = next;
  }
  target += log_sum_exp(forward);
}
