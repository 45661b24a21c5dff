// Radon in 919 houses of Minnesota with counties that have nothing to do with each other: wide priors take the place of a population.
//   credo sample examples/radon/separate.stan --data examples/radon/radon.csv
data {
  int<lower=1> N, K_county;
  array[N] int<lower=1, upper=K_county> county;
  vector[N] floor;  // 0: measured in the basement, 1: on the first floor
  vector[N] log_radon;
}
parameters {
  vector[K_county] alpha, beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 10);
  beta ~ normal(0, 10);
  sigma ~ cauchy(0, 1);
  log_radon ~ normal(alpha[county] + beta[county] .* floor, sigma);
}
