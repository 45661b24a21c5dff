// A line with known noise and a normal prior, vaguer for its level than for its slope: a normal posterior.
//   credo exact examples/texts/line_known_noise.stan --data examples/texts/cars.json
data {
  int<lower=1> N;
  vector[N] speed, dist;
  real<lower=0> noise;
}
transformed data {
  matrix[N, 2] X = append_col(rep_vector(1, N), speed);
}
parameters {
  vector[2] w;
}
model {
  w ~ normal(0, [100, 2]);
  dist ~ normal(X * w, noise);
}
