// A line with Zellner's prior: w | s2 ~ normal(0, g s2 inverse(X'X)), 1 / s2 for the variance. The unit of a column doesn't matter.
//   credo exact examples/texts/line_g_prior.stan --data examples/texts/cars.json
data {
  int<lower=1> N;
  vector[N] speed, dist;
  real<lower=0> g;
}
transformed data {
  matrix[N, 2] X = append_col(rep_vector(1, N), speed);
  matrix[2, 2] XX = crossprod(X);
}
parameters {
  vector[2] w;
  real<lower=0> s2;
}
model {
  target += -log(s2);
  w ~ multi_normal_prec(rep_vector(0, 2), XX / (g * s2));
  dist ~ normal(X * w, sqrt(s2));
}
