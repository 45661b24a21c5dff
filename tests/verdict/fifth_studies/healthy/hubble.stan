// Velocities of nebulae by their distance: Hubble, Proceedings of the National Academy of Sciences 15 (1929). Accused: parameters in the hundreds, offset and multiplier, an age as a reciprocal, a correlation of slope and intercept.
data {
  int<lower=1> N;
  vector[N] distance;
  vector[N] velocity;
}
parameters {
  real<offset=0, multiplier=100> own_velocity;
  real<offset=500, multiplier=100> hubble;
  real<lower=0> sigma;
}
model {
  own_velocity ~ normal(0, 300);
  hubble ~ normal(500, 500);
  sigma ~ normal(0, 500);
  velocity ~ normal(own_velocity + hubble * distance, sigma);
}
generated quantities {
  real gigayears = 977.8 / hubble;
  real seconds = gigayears * 3.156e16;
  real distance_at_rest = -own_velocity / hubble;
  real distance_of_new = (900 - normal_rng(own_velocity, sigma)) / hubble;
  vector[N] velocity_rep;
  for (n in 1:N) {
    velocity_rep[n] = normal_rng(own_velocity + hubble * distance[n], sigma);
  }
}
