// Five weighings of an object, rounded to the next pound: Gelman et al., Bayesian Data Analysis, third edition (2013), exercise 3.5; Heitjan, Statistical Science 4 (1989). Accused: few data, a standard deviation with a long tail and mass below the rounding, unrounded weights between bounds.
functions {
  real log_interval(real a, real b, real mu, real sigma) {
    if (a > mu) {
      return log_diff_exp(normal_lccdf(a | mu, sigma), normal_lccdf(b | mu, sigma));
    }
    return log_diff_exp(normal_lcdf(b | mu, sigma), normal_lcdf(a | mu, sigma));
  }
}
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real<offset=10, multiplier=1> mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(10, 5);
  sigma ~ normal(0, 3);
  for (n in 1:N) {
    target += log_interval(y[n] - 0.5, y[n] + 0.5, mu, sigma);
  }
}
generated quantities {
  vector[N] unrounded;
  for (n in 1:N) {
    real low = Phi((y[n] - 0.5 - mu) / sigma);
    real high = Phi((y[n] + 0.5 - mu) / sigma);
    unrounded[n] = high > low + 1e-12 ? mu + sigma * inv_Phi(uniform_rng(low, high)) : y[n];
  }
  real next_reading = round(normal_rng(mu, sigma));
  real coefficient_of_variation = sigma / mu;
}
