// Ages of the stars of a cluster: each star has its own age, and the cluster a mean and a spread of ages. All of them are parameters.
//   credo sample examples/texts/star_cluster.stan --data examples/texts/star_cluster.json
data {
  int<lower=1> N;
  vector[N] measured;
  vector<lower=0>[N] error;
  array[2] real<lower=0> mean_range, spread_range;
}
parameters {
  real<lower=log(mean_range[1]), upper=log(mean_range[2])> log_mean;
  real<lower=log(spread_range[1]), upper=log(spread_range[2])> log_spread;
  vector[N] z;
}
transformed parameters {
  real mean_age = exp(log_mean), spread = exp(log_spread);
  vector[N] age = mean_age + spread * z;
}
model {
  log_mean ~ uniform(log(mean_range[1]), log(mean_range[2]));
  log_spread ~ uniform(log(spread_range[1]), log(spread_range[2]));
  z ~ std_normal();
  measured ~ normal(age, error);
}
