// Effects of tutoring in twenty studies, not centred, and studies enough: Hedges and Olkin, Statistical Methods for Meta-Analysis
// (1985); simulated.
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
  mu ~ normal(0, 1);
  tau ~ normal(0, 0.5);
  z ~ std_normal();
  effect ~ normal(theta, se);
}
generated quantities {
  real new_study = normal_rng(mu, tau);
  int helps = new_study > 0;
  real I2 = square(tau) / (square(tau) + mean(square(se)));
}
