// Major earthquakes of each year: a hidden Markov chain of calm and restless times [zucchini2016].
data {
  int<lower=0> N;  // years
  int<lower=1> K;  // states
  array[N] int<lower=0> quakes;
}
parameters {
  positive_ordered[K] rate;  // earthquakes a year, by state
  array[K] simplex[K] move;  // from a state to the next year's
}
transformed parameters {
  matrix[K, K] Gamma;
  for (k in 1:K)
    Gamma[k] = move[k]';
}
model {
  matrix[K, N] log_p;  // of each year's count, by state
  for (k in 1:K)
    for (n in 1:N)
      log_p[k, n] = poisson_lpmf(quakes[n] | rate[k]);
  rate ~ gamma(4, 0.2);
  for (k in 1:K)
    move[k] ~ dirichlet(rep_vector(1, K) + 4 * one_hot_vector(K, k));  // states last
  target += hmm_marginal(log_p, Gamma, rep_vector(1.0 / K, K));
}
generated quantities {
  array[N] int<lower=1, upper=K> state;
  // counts of other years of the same chain, to set beside those that were observed
  array[N] int quakes_rep;
  {
    matrix[K, N] log_p;
    for (k in 1:K)
      for (n in 1:N)
        log_p[k, n] = poisson_lpmf(quakes[n] | rate[k]);
    state = hmm_latent_rng(log_p, Gamma, rep_vector(1.0 / K, K));
    int at = state[1];
    for (n in 1:N) {
      if (n > 1)
        at = categorical_rng(move[at]);
      quakes_rep[n] = poisson_rng(rate[at]);
    }
  }
  // the year that follows
  int next_state = categorical_rng(move[state[N]]);
  int next_count = poisson_rng(rate[next_state]);
}
