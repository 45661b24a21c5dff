// A calibration line read backwards: the level that gives a new reading, a ratio (Fieller, 1954); Carroll et al., Measurement
// Error in Nonlinear Models; Lunn et al., The BUGS Book; simulated. The slope is uncertain enough for heavy tails.
data {
  int<lower=1> N;
  vector[N] level;
  vector[N] reading;
  real new_reading;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  beta ~ normal(0, 2);
  sigma ~ exponential(1);
  reading ~ normal(alpha + beta * (level - mean(level)), sigma);
}
generated quantities {
  real new_level = mean(level) + (normal_rng(new_reading, sigma) - alpha) / beta;
  int<lower=0, upper=1> rising = beta > 0;
}
