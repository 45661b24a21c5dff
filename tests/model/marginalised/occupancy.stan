data {
  int<lower=0> N; // sites
  int<lower=1> J; // visits
  matrix[N, J] effort;
  array[N, J] int<lower=0, upper=1> seen;
}
parameters {
  real<lower=0, upper=1> occupancy;
  vector[2] detection;
  array[N] int<lower=0, upper=1> z;
}
model {
  detection ~ normal(0, 1.5);
  z ~ bernoulli(occupancy);
  for (n in 1:N) {
    for (j in 1:J) {
      seen[n, j] ~ bernoulli(z[n] * inv_logit(detection[1] + detection[2] * effort[n, j]));
    }
  }
}
generated quantities {
  vector[N] p;
  for (n in 1:N) {
    p[n] = z[n];
  }
}
