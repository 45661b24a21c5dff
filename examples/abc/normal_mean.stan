// A normal mean by simulation: its mean is sufficient, and the posterior is known (docs/algorithms/abc.md).
data {
  int<lower=1> N;
  vector[N] y;
}
parameters {
  real mu;
}
model {
  mu ~ normal(0, 2);
}
generated quantities {
  real distance;
  {
    array[N] real y_sim = normal_rng(rep_vector(mu, N), 1);
    distance = abs(mean(y_sim) - mean(y));
  }
}
