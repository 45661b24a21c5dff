// Rows that enter a sample by a mechanism that is known: with probability inv_logit(by_x * x + by_y * y). The density of a row that was
// selected is p(y | x) P(selected | x, y) / P(selected | x), whose denominator is a sum over points of y.
//   credo sample examples/texts/selected_rows.stan --data examples/texts/selected_rows.json
data {
  int<lower=1> N;
  vector[N] x, y;
  real by_x, by_y;
}
transformed data {
  vector[81] points = linspaced_vector(81, -8, 8);
  vector[81] weights = 0.2 * exp(-0.5 * points .* points) / sqrt(2 * pi());
}
parameters {
  real intercept, slope;
  real<lower=0> sigma;
}
model {
  intercept ~ normal(0, 5);
  slope ~ normal(0, 5);
  sigma ~ exponential(1);
  y ~ normal(intercept + slope * x, sigma);
  for (n in 1 : N) {
    target += -log(dot_product(weights, inv_logit(by_x * x[n] + by_y * (intercept + slope * x[n] + sigma * points))));
  }
}
