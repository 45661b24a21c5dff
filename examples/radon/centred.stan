// Radon in 919 houses of Minnesota: each county has its own level and its own difference of floors (murphy2023, section 15.5.3). With the
// county's values as parameters chains miss small spreads of the differences (non_centred.stan doesn't).
//   credo sample examples/radon/centred.stan --data examples/radon/radon.csv
data {
  int<lower=1> N, K_county;
  array[N] int<lower=1, upper=K_county> county;
  vector[N] floor;  // 0: measured in the basement, 1: on the first floor
  vector[N] log_radon;
}
parameters {
  real mu_alpha, mu_beta;
  real<lower=0> sd_alpha, sd_beta, sigma;
  vector[K_county] alpha, beta;
}
model {
  mu_alpha ~ normal(0, 1);
  mu_beta ~ normal(0, 1);
  sd_alpha ~ cauchy(0, 1);
  sd_beta ~ cauchy(0, 1);
  sigma ~ cauchy(0, 1);
  alpha ~ normal(mu_alpha, sd_alpha);
  beta ~ normal(mu_beta, sd_beta);
  log_radon ~ normal(alpha[county] + beta[county] .* floor, sigma);
}
