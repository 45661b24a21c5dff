// A line with unknown noise and its conjugate prior: w | s2 ~ normal(m, s2 V), s2 ~ inv_gamma(a, b).
//   credo exact examples/texts/line_conjugate.stan --data examples/texts/cars.json
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
  s2 ~ inv_gamma(2, 200);
  w ~ normal([0, 1], sqrt(s2) * [5, 0.5]);
  dist ~ normal(X * w, sqrt(s2));
}
