// A state whose outcomes depend on its whole past: z_t ~ normal(phi z_{t-1}, q), y_t ~ normal(sum over s <= t of beta^(t-s) z_s, r).
// The sum obeys s_t = beta s_{t-1} + z_t, so that (z_t, s_t) is a state. s_t is determined by z_t: densities are those of z_t.
functions {
  vector initial_rng(real q) {
    real z = normal_rng(0, q);
    return [z, z]';
  }
  real initial_lpdf(vector x, real q) {
    return normal_lpdf(x[1] | 0, q);
  }
  vector transition_rng(vector before, real phi, real q, real beta) {
    real z = normal_rng(phi * before[1], q);
    return [z, beta * before[2] + z]';
  }
  real transition_lpdf(vector x, vector before, real phi, real q) {
    return normal_lpdf(x[1] | phi * before[1], q);
  }
  real observation_lpdf(real y, vector x, real r) {
    return normal_lpdf(y | x[2], r);
  }
  // The law of z_t given the past and y_t, the locally optimal proposal: normal, and so is y_t given the past.
  vector initial_proposal_rng(real y, real q, real r) {
    real z = normal_rng(q^2 * y / (q^2 + r^2), q * r / sqrt(q^2 + r^2));
    return [z, z]';
  }
  real initial_proposal_lpdf(vector x, real y, real q, real r) {
    return normal_lpdf(x[1] | q^2 * y / (q^2 + r^2), q * r / sqrt(q^2 + r^2));
  }
  real optimal_mean(real z, real c, real y, real phi, real q, real r) {
    return (r^2 * phi * z + q^2 * (y - c)) / (q^2 + r^2);
  }
  vector proposal_rng(vector before, real y, real phi, real q, real beta, real r) {
    real c = beta * before[2];
    real z = normal_rng(optimal_mean(before[1], c, y, phi, q, r), q * r / sqrt(q^2 + r^2));
    return [z, c + z]';
  }
  real proposal_lpdf(vector x, vector before, real y, real phi, real q, real beta, real r) {
    return normal_lpdf(x[1] | optimal_mean(before[1], beta * before[2], y, phi, q, r), q * r / sqrt(q^2 + r^2));
  }
  real lookahead_lpdf(real y, vector before, real phi, real q, real beta, real r) {
    return normal_lpdf(y | phi * before[1] + beta * before[2], sqrt(q^2 + r^2));
  }
}
data {
  int<lower=1> T;
  vector[T] y;
  real phi, beta;
  real<lower=0> q, r;
}
