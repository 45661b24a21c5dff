// Radon in houses, by county and floor.
functions {
  vector county_effects(vector z, real mu, real tau) {
    return mu + tau * z;
  }
}
data {
  int<lower=1> N;
  int<lower=1> J;
  array[N] int<lower=1, upper=J> county;
  vector[N] on_floor;
  vector[N] log_radon;
}
transformed data {
  real overall = mean(log_radon);
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] z;
  real slope;
  real<lower=0> sigma;
}
transformed parameters {
  vector[J] alpha = county_effects(z, mu, tau);
}
model {
  mu ~ normal(overall, 2);
  tau ~ normal(0, 1);
  z ~ std_normal();
  slope ~ normal(0, 1);
  sigma ~ exponential(1);
  for (n in 1:N) {
    log_radon[n] ~ normal(alpha[county[n]] + slope * on_floor[n], sigma);
  }
}
generated quantities {
  vector[N] log_lik;
  array[N] real replicated;
  for (n in 1:N) {
    real fitted = alpha[county[n]] + slope * on_floor[n];
    log_lik[n] = normal_lpdf(log_radon[n] | fitted, sigma);
    replicated[n] = normal_rng(fitted, sigma);
  }
}
