// Where lightning struck, by its distance from two stations on a line from west to east: sensors and their mirror images as in
// Ihler et al., IEEE Journal on Selected Areas in Communications 23 (2005); simulated. North or south of the line can't be told.
// Remedied.
// sample: --chains 8
data {
  int<lower=1> N;
  vector[2] station;
  array[N] vector<lower=0>[2] distance_seen;
}
parameters {
  real east;
  real<lower=0> north;
}
model {
  vector[2] d = sqrt(square(east - station) + square(north));
  east ~ normal(0, 20);
  north ~ normal(0, 20);
  for (n in 1:N) {
    distance_seen[n] ~ normal(d, 0.5);
  }
}
