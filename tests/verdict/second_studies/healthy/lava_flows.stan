// Directions of the remanent magnetism of lava flows, Fisher's distribution on the sphere with the mean direction as a unit
// vector: Fisher, Proceedings of the Royal Society A 217 (1953); Fisher, Lewis and Embleton, Statistical Analysis of Spherical
// Data (1987); simulated. The declination as an output jumps at half a turn.
// sample: --adapt-delta 0.95
data {
  int<lower=1> N;
  matrix[N, 3] flow;
}
parameters {
  unit_vector[3] towards;
  real<lower=0> kappa;
}
model {
  kappa ~ gamma(3, 1);
  target += kappa * sum(flow * towards) + N * (log(kappa) - kappa - log1m_exp(-2 * kappa));
}
generated quantities {
  real declination = atan2(towards[2], towards[1]) * 180 / pi();
}
