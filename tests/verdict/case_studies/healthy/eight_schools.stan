// Coaching effects in eight schools: Rubin (1981); Gelman et al., Bayesian Data Analysis, 3rd ed., section 5.5; the prior of
// the standard deviation as Chung et al. (2013).
data {
  int<lower=1> J;
  vector[J] effect;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] z;
}
transformed parameters {
  vector[J] theta = mu + tau * z;
}
model {
  mu ~ normal(0, 10);
  tau ~ gamma(2, 0.2);
  z ~ std_normal();
  effect ~ normal(theta, se);
}
generated quantities {
  vector[J] pooling;
  vector[J] log_lik;
  real next_school = normal_rng(mu, tau);
  real first_to_third = theta[1] / theta[3];
  int<lower=1, upper=J> best = sort_indices_desc(theta)[1];
  for (j in 1:J) {
    pooling[j] = square(se[j]) / (square(se[j]) + square(tau));
    log_lik[j] = normal_lpdf(effect[j] | theta[j], se[j]);
  }
}
