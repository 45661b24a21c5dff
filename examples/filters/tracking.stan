// A point that moves by a law that isn't linear, seen with noise [murphy2023, 13.1.2]:
//   credo filter examples/filters/tracking.stan --data examples/filters/tracking.json --particles 2000
// z_t ~ normal(f(z_{t-1}), sqrt(q)), y_t ~ normal(z_t, sqrt(r)): q and r are variances. tracking.json was simulated; truth is the path.
functions {
  vector moved(vector z, real dt) {
    return [z[1] + dt * sin(z[2]), z[2] + dt * cos(z[1])]';
  }
  vector initial_rng() {
    return [normal_rng(1, 0.5), normal_rng(1, 0.5)]';
  }
  real initial_lpdf(vector z) {
    return normal_lpdf(z | 1, 0.5);
  }
  vector transition_rng(vector before, real dt, real q) {
    vector[2] m = moved(before, dt);
    return [normal_rng(m[1], sqrt(q)), normal_rng(m[2], sqrt(q))]';
  }
  real transition_lpdf(vector z, vector before, real dt, real q) {
    return normal_lpdf(z | moved(before, dt), sqrt(q));
  }
  real observation_lpdf(row_vector y, vector z, real r) {
    return normal_lpdf(y | z', sqrt(r));
  }
}
data {
  int<lower=1> T;
  matrix[T, 2] y;
  real<lower=0> dt, q, r;
}
