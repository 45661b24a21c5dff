// Four scales of anxiety with one factor that is summed out, the first loading positive: Bartholomew, Knott and Moustaki,
// Latent Variable Models and Factor Analysis (2011), chapter 3; simulated. Correlations are a derived matrix with ones on the
// diagonal.
data {
  int<lower=1> N;
  array[N] vector[4] score;
}
parameters {
  real<lower=0> first;
  vector[3] others;
  vector<lower=0>[4] sigma;
}
transformed parameters {
  vector[4] loading = append_row(first, others);
  matrix[4, 4] Sigma = add_diag(loading * loading', square(sigma));
}
model {
  loading ~ normal(0.5, 0.5);
  sigma ~ lognormal(-0.5, 0.4);
  score ~ multi_normal(rep_vector(0, 4), Sigma);
}
generated quantities {
  matrix[4, 4] R = quad_form_diag(Sigma, inv_sqrt(diagonal(Sigma)));
}
