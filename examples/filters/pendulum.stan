// A noisy pendulum of unit length, its angle and velocity (z1, z2) in steps of dt [sarkka2013, ex. 3.7]:
// z_t = (z1 + z2 dt, z2 - g sin(z1) dt) + noise of the spectral density q; its horizontal place sin(z1) is seen with error r. A share p
// of the outcomes are uniform on (-2, 2) instead: with p > 0 the outcome is no longer normal, and --method ekf and ukf need p = 0.
// pendulum.json and pendulum_outliers.json were simulated, the latter with p = 0.4; true_angle is the angle behind them.
functions {
  vector mean_of(vector z, real dt, real g) {
    return [z[1] + z[2] * dt, z[2] - g * sin(z[1]) * dt]';
  }
  // The second element, and the first given the second: of covariance q (dt^3/3, dt^2/2; dt^2/2, dt).
  vector transition_rng(vector before, real dt, real g, real q) {
    vector[2] m = mean_of(before, dt, g);
    real e = normal_rng(0, sqrt(q * dt));
    return [m[1] + normal_rng(0.5 * dt * e, sqrt(q * dt^3 / 12)), m[2] + e]';
  }
  real transition_lpdf(vector z, vector before, real dt, real g, real q) {
    vector[2] m = mean_of(before, dt, g);
    real e = z[2] - m[2];
    return normal_lpdf(e | 0, sqrt(q * dt)) + normal_lpdf(z[1] | m[1] + 0.5 * dt * e, sqrt(q * dt^3 / 12));
  }
  vector initial_rng() {
    return [normal_rng(1.5, 0.3), normal_rng(0, 0.3)]';
  }
  real initial_lpdf(vector z) {
    return normal_lpdf(z[1] | 1.5, 0.3) + normal_lpdf(z[2] | 0, 0.3);
  }
  real observation_lpdf(real y, vector z, real r, real p) {
    if (p == 0) return normal_lpdf(y | sin(z[1]), r);
    return log_mix(p, abs(y) <= 2 ? -log(4) : negative_infinity(), normal_lpdf(y | sin(z[1]), r));
  }
}
data {
  int<lower=1> T;
  vector[T] y;
  real<lower=0> dt, g, q, r;
  real<lower=0, upper=1> p;
}
