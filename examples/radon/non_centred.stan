// Radon in 919 houses of Minnesota with standardised differences of the counties from their mean (murphy2023, section 15.5.3.2).
//   credo sample examples/radon/non_centred.stan --data examples/radon/radon.csv
data {
  int<lower=1> N, K_county;
  array[N] int<lower=1, upper=K_county> county;
  vector[N] floor;  // 0: measured in the basement, 1: on the first floor
  vector[N] log_radon;
}
parameters {
  real mu_alpha, mu_beta;
  real<lower=0> sd_alpha, sd_beta, sigma;
  vector[K_county] z_alpha, z_beta;
}
transformed parameters {
  vector[K_county] alpha = mu_alpha + sd_alpha * z_alpha;
  vector[K_county] beta = mu_beta + sd_beta * z_beta;
}
model {
  mu_alpha ~ normal(0, 1);
  mu_beta ~ normal(0, 1);
  sd_alpha ~ cauchy(0, 1);
  sd_beta ~ cauchy(0, 1);
  sigma ~ cauchy(0, 1);
  z_alpha ~ std_normal();
  z_beta ~ std_normal();
  log_radon ~ normal(alpha[county] + beta[county] .* floor, sigma);
}
