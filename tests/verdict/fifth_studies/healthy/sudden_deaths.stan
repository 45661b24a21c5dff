// Transformed rates of sudden infant deaths of counties on a grid, a proper conditional autoregression: Cressie and Chan, JASA 84 (1989); Banerjee, Carlin and Gelfand, Hierarchical Modeling and Analysis for Spatial Data (2014); simulated. Accused: an autoregression near its bound one, where the mean is less known.
data {
  int<lower=1> N;
  matrix<lower=0, upper=1>[N, N] near;
  vector[N] births;
  vector[N] rate;
}
transformed data {
  vector[N] d = near * rep_vector(1, N);
  vector[N] eigenvalue = eigenvalues_sym(quad_form_diag(near, inv_sqrt(d)));
}
parameters {
  real mean_rate;
  real by_births;
  real<lower=0, upper=1> alike;
  real<lower=0> precision;
}
model {
  vector[N] r = rate - mean_rate - by_births * births;
  mean_rate ~ normal(3, 1);
  by_births ~ normal(0, 1);
  alike ~ beta(2, 2);
  precision ~ gamma(2, 1);
  target += 0.5 * (N * log(precision) + sum(log1m(alike * eigenvalue)));
  target += -0.5 * precision * (dot_product(r, d .* r) - alike * dot_product(r, near * r));
}
generated quantities {
  vector[N] neighbours_mean;
  array[N] int above;
  for (i in 1:N) {
    real m = mean_rate + by_births * births[i];
    neighbours_mean[i] = m + alike * dot_product(near[i], rate - mean_rate - by_births * births) / d[i];
    above[i] = normal_rng(neighbours_mean[i], inv_sqrt(precision * d[i])) > 4;
  }
}
