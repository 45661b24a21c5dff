// Counts regressed on eight scales of a questionnaire by a random-walk Metropolis sampler, as programs of the nineties did: Gilks,
// Richardson and Spiegelhalter, Markov Chain Monte Carlo in Practice, chapter 1; simulated.
// sample: --sampler rwm --draws 500
// expect: not_mixed
// expect: few_draws
// may: alpha beta
// remedy: --sampler nuts
data {
  int<lower=1> N;
  int<lower=1> K;
  matrix[N, K] X;
  array[N] int<lower=0> days;
}
parameters {
  real alpha;
  vector[K] beta;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 2);
  days ~ poisson_log(alpha + X * beta);
}
