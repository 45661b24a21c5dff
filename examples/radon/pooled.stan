// Radon in 919 houses of Minnesota, as if all of them stood in one county.
//   credo sample examples/radon/pooled.stan --data examples/radon/radon.csv
data {
  int<lower=1> N;
  vector[N] floor;
  vector[N] log_radon;
}
parameters {
  real alpha, beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 1);
  sigma ~ cauchy(0, 1);
  log_radon ~ normal(alpha + beta * floor, sigma);
}
