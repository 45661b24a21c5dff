// Yield of corn by soil nitrogen, which is itself measured with an error of known size [fuller1987].
// The true nitrogen of a site is integrated over: measurement and yield are jointly normal.
data {
  int<lower=0> N;
  vector[N] yield;
  vector[N] nitrogen;             // as measured
  real<lower=0> error_variance;  // of a measurement
}
transformed data {
  array[N] vector[2] seen;
  for (n in 1:N)
    seen[n] = [yield[n], nitrogen[n]]';
}
parameters {
  real mean_nitrogen;
  real<lower=0> sd_nitrogen;  // of the true values
  real level, slope;          // yield at nitrogen 70, for one more
  real<lower=0> sigma;        // of yields about the line
}
transformed parameters {
  vector[2] middle = [level + slope * (mean_nitrogen - 70), mean_nitrogen]';
  cov_matrix[2] covariance;
  covariance[1, 1] = square(slope * sd_nitrogen) + square(sigma);
  covariance[1, 2] = slope * square(sd_nitrogen);
  covariance[2, 1] = covariance[1, 2];
  covariance[2, 2] = square(sd_nitrogen) + error_variance;
}
model {
  mean_nitrogen ~ normal(70, 30);
  sd_nitrogen ~ normal(0, 30);
  level ~ normal(100, 30);
  slope ~ normal(0, 2);
  sigma ~ normal(0, 20);
  seen ~ multi_normal(middle, covariance);
}
generated quantities {
  real reliability = square(sd_nitrogen) / (square(sd_nitrogen) + error_variance);
}
