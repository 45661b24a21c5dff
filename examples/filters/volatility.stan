// Stochastic volatility: the log variance h of daily returns y is an autoregression.
// volatility.json was simulated at mu = -1, phi = 0.95, sigma = 0.25 (at.json). The same text is filtered (credo filter) and
// sampled with its states (credo sample).
functions {
  real initial_rng(real mu, real phi, real sigma) {
    return normal_rng(mu, sigma / sqrt(1 - phi^2));
  }
  real initial_lpdf(real h, real mu, real phi, real sigma) {
    return normal_lpdf(h | mu, sigma / sqrt(1 - phi^2));
  }
  real transition_rng(real before, real mu, real phi, real sigma) {
    return normal_rng(mu + phi * (before - mu), sigma);
  }
  real transition_lpdf(real h, real before, real mu, real phi, real sigma) {
    return normal_lpdf(h | mu + phi * (before - mu), sigma);
  }
  real observation_lpdf(real y, real h) {
    return normal_lpdf(y | 0, exp(h / 2));
  }
  // Where y is large, so is h: the normal law around the mode of p(y | h) p(h | before), found by one step of Newton's method.
  vector near_outcome(real before, real y, real mu, real phi, real sigma) {
    real m = mu + phi * (before - mu);
    real size = 0.5 * y^2 * exp(-m);
    real curvature = 1 / sigma^2 + 0.5 * size;
    return [m + 0.5 * (size - 1) / curvature, 1 / sqrt(curvature)]';
  }
  real proposal_rng(real before, real y, real mu, real phi, real sigma) {
    vector[2] at = near_outcome(before, y, mu, phi, sigma);
    return normal_rng(at[1], fmax(at[2], 0.8 * sigma));
  }
  real proposal_lpdf(real h, real before, real y, real mu, real phi, real sigma) {
    vector[2] at = near_outcome(before, y, mu, phi, sigma);
    return normal_lpdf(h | at[1], fmax(at[2], 0.8 * sigma));
  }
  // y given the state before, roughly: the variance at the mean of h, a tail that is heavier.
  real lookahead_lpdf(real y, real before, real mu, real phi, real sigma) {
    return student_t_lpdf(y | 8, 0, exp((mu + phi * (before - mu)) / 2));
  }
}
data {
  int<lower=1> T;
  vector[T] y;
}
parameters {
  real mu;
  real<lower=-1, upper=1> phi;
  real<lower=0> sigma;
  vector[T] h;
}
model {
  mu ~ normal(0, 5);
  (phi + 1) / 2 ~ beta(20, 1.5);
  sigma ~ normal(0, 0.5);
  target += initial_lpdf(h[1] | mu, phi, sigma);
  for (t in 2:T) target += transition_lpdf(h[t] | h[t - 1], mu, phi, sigma);
  for (t in 1:T) target += observation_lpdf(y[t] | h[t]);
}
