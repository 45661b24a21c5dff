// Occupancy of forty ponds visited four times, presence summed out: MacKenzie et al. (2002); Royle and Dorazio, Hierarchical
// Modeling and Inference in Ecology, chapter 3; simulated. Most presences in the output are constant.
data {
  int<lower=1> S;
  int<lower=1> V;
  array[S] int<lower=0> detections;
  vector[S] elevation;
}
parameters {
  real alpha;
  real beta;
  real<lower=0, upper=1> detect;
}
transformed parameters {
  vector[S] logit_psi = alpha + beta * elevation;
}
model {
  alpha ~ logistic(0, 1);
  beta ~ normal(0, 2);
  for (s in 1:S) {
    real seen = log_inv_logit(logit_psi[s]) + binomial_lpmf(detections[s] | V, detect);
    target += detections[s] > 0 ? seen : log_sum_exp(seen, log1m_inv_logit(logit_psi[s]));
  }
}
generated quantities {
  array[S] int<lower=0, upper=1> present;
  int<lower=0, upper=S> occupied;
  for (s in 1:S) {
    real missed = exp(log_inv_logit(logit_psi[s]) + V * log1m(detect));
    present[s] = detections[s] > 0 ? 1 : bernoulli_rng(missed / (missed + exp(log1m_inv_logit(logit_psi[s]))));
  }
  occupied = sum(present);
}
