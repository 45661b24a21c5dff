// A line with Jeffreys' prior, flat in w and 1 / s2 in the variance: what least squares say, with Student's t distributions.
//   credo exact examples/texts/line_jeffreys.stan --data examples/texts/cars.json
data {
  int<lower=1> N;
  vector[N] speed, dist;
}
transformed data {
  matrix[N, 2] X = append_col(rep_vector(1, N), speed);
}
parameters {
  vector[2] w;
  real<lower=0> s2;
}
model {
  target += -log(s2);
  dist ~ normal(X * w, sqrt(s2));
}
