// Growth of thirty rats, a line each: Gelfand et al. (1990); BUGS examples, volume 1, "Rats".
data {
  int<lower=1> N;
  int<lower=1> T;
  vector[T] day;
  array[N] row_vector[T] weight;
}
transformed data {
  row_vector[T] since_middle = (day - mean(day))';
}
parameters {
  vector[N] level;
  vector[N] growth;
  real mu_level;
  real mu_growth;
  real<lower=0> sd_level;
  real<lower=0> sd_growth;
  real<lower=0> sigma;
}
model {
  mu_level ~ normal(250, 100);
  mu_growth ~ normal(6, 5);
  sd_level ~ normal(0, 50);
  sd_growth ~ normal(0, 5);
  sigma ~ normal(0, 20);
  level ~ normal(mu_level, sd_level);
  growth ~ normal(mu_growth, sd_growth);
  for (n in 1:N) {
    weight[n] ~ normal(level[n] + growth[n] * since_middle, sigma);
  }
}
generated quantities {
  real birth_weight = mu_level - mu_growth * mean(day);
}
