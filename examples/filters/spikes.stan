// Where a hand is, read from the spikes of K neurons [murphy2023, 13.4.2.1]: position and velocity in three dimensions, a Brownian
// walk of the velocity; counts y_t of Poisson laws with log rates alpha + beta z_t.
//   credo filter examples/filters/spikes.stan --data examples/filters/spikes.json --method guided
// The proposal is Laplace's: p(y_t | z) is taken for normal around its mode, and joined with the transition by the rule of Kalman.
// spikes.json was simulated with random alpha and beta.
functions {
  vector moved(vector z, real dt) {
    return append_row(z[1:3] + dt * z[4:6], z[4:6]);
  }
  matrix walk(real dt, real sigma) {  // the transition's covariance
    matrix[3, 3] one = identity_matrix(3);
    return sigma^2 * append_row(append_col(dt^3 / 3 * one, dt^2 / 2 * one), append_col(dt^2 / 2 * one, dt * one));
  }
  // The mode of the Poisson likelihood by Newton's method. Steps are cut, since far from the mode rates are enormous.
  vector mode_of(array[] int y, vector alpha, matrix beta) {
    vector[6] z = zeros_vector(6);
    for (k in 1:60) {
      vector[size(y)] rate = exp(alpha + beta * z);
      vector[6] move = mdivide_left_spd(beta' * diag_pre_multiply(rate, beta), beta' * (to_vector(y) - rate));
      z += move * fmin(1, 1 / sqrt(dot_self(move)));
    }
    return z;
  }
  vector normal_vector_rng(vector mean, matrix factor) {
    return mean + factor * to_vector(normal_rng(zeros_vector(6), 1));
  }
  real normal_vector_lpdf(vector z, vector mean, matrix factor) {
    return normal_lpdf(mdivide_left_tri_low(factor, z - mean) | 0, 1) - sum(log(diagonal(factor)));
  }
  vector initial_rng() {
    return to_vector(normal_rng(zeros_vector(6), 0.5));
  }
  real initial_lpdf(vector z) {
    return normal_lpdf(z | 0, 0.5);
  }
  vector transition_rng(vector before, real dt, matrix walk_factor) {
    return normal_vector_rng(moved(before, dt), walk_factor);
  }
  real transition_lpdf(vector z, vector before, real dt, matrix walk_factor) {
    return normal_vector_lpdf(z | moved(before, dt), walk_factor);
  }
  real observation_lpmf(array[] int y, vector z, vector alpha, matrix beta) {
    return poisson_log_lpmf(y | alpha + beta * z);
  }
  vector initial_proposal_rng(vector first_mean, matrix first_factor) {
    return normal_vector_rng(first_mean, first_factor);
  }
  real initial_proposal_lpdf(vector z, vector first_mean, matrix first_factor) {
    return normal_vector_lpdf(z | first_mean, first_factor);
  }
  // Given the state before: covariance (walk^-1 + information)^-1, mean from the transition's and the mode.
  vector proposed(vector m, matrix spread, matrix walk_precision, vector pull) {
    return spread * (walk_precision * m + pull);
  }
  vector proposal_rng(vector before, real dt, matrix spread, matrix factor, matrix walk_precision, vector pull) {
    return normal_vector_rng(proposed(moved(before, dt), spread, walk_precision, pull), factor);
  }
  real proposal_lpdf(vector z, vector before, real dt, matrix spread, matrix factor, matrix walk_precision, vector pull) {
    return normal_vector_lpdf(z | proposed(moved(before, dt), spread, walk_precision, pull), factor);
  }
}
data {
  int<lower=1> T, K;
  array[T, K] int<lower=0> y;
  vector[K] alpha;
  matrix[K, 6] beta;
  real<lower=0> dt, sigma;
}
transformed data {
  matrix[6, 6] walk_factor = cholesky_decompose(walk(dt, sigma));
  matrix[6, 6] walk_precision = inverse_spd(walk(dt, sigma));
  array[T] matrix[6, 6] spread;
  array[T] matrix[6, 6] factor;
  array[T] vector[6] pull;
  vector[6] first_mean;
  matrix[6, 6] first_factor;
  for (t in 1:T) {
    vector[6] mode = mode_of(y[t], alpha, beta);
    matrix[6, 6] information = beta' * diag_pre_multiply(exp(alpha + beta * mode), beta);
    matrix[6, 6] covariance = inverse_spd(walk_precision + information);
    spread[t] = 0.5 * (covariance + covariance');
    factor[t] = cholesky_decompose(spread[t]);
    pull[t] = information * mode;
    if (t == 1) {  // the first state is normal(0, 0.5)
      matrix[6, 6] first = inverse_spd(identity_matrix(6) / 0.25 + information);
      first_factor = cholesky_decompose(0.5 * (first + first'));
      first_mean = first * pull[1];
    }
  }
}
