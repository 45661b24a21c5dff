// Quarterly growth with recessions, a hidden Markov model of two states in the order of their means: Hamilton, Econometrica 57
// (1989); Kim and Nelson, State-Space Models with Regime Switching (1999), chapter 4; simulated.
data {
  int<lower=1> T;
  vector[T] growth;
}
parameters {
  ordered[2] mu;
  real<lower=0> sigma;
  array[2] simplex[2] P;
}
transformed parameters {
  matrix[2, T] log_omega;
  for (k in 1:2) {
    for (t in 1:T) {
      log_omega[k, t] = normal_lpdf(growth[t] | mu[k], sigma);
    }
  }
}
model {
  mu[1] ~ normal(-0.5, 1);
  mu[2] ~ normal(1, 1);
  sigma ~ normal(0, 1);
  P[1] ~ dirichlet([6, 2]);
  P[2] ~ dirichlet([1, 9]);
  target += hmm_marginal(log_omega, [P[1]', P[2]'], [0.3, 0.7]');
}
generated quantities {
  matrix[2, T] chance = hmm_hidden_state_prob(log_omega, [P[1]', P[2]'], [0.3, 0.7]');
}
