// Ten small trials of acupuncture for headache whose effects hardly differ, effects given by standard normal ones, so that the
// spread has its mode at zero: Linde et al., Cochrane Database of Systematic Reviews (2016); simulated.
// sample: --adapt-delta 0.95
data {
  int<lower=1> J;
  vector[J] y;
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
  y ~ normal(theta, se);
}
generated quantities {
  real next_trial = normal_rng(mu, tau);
  int<lower=0, upper=1> helps = next_trial > 0;
}
