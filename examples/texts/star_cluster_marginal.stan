// Ages of the stars of a cluster (star_cluster.stan) with the age of each star integrated out: a product of evidences of single stars.
//   credo sample examples/texts/star_cluster_marginal.stan --data examples/texts/star_cluster.json
data {
  int<lower=1> N;
  vector[N] measured;
  vector<lower=0>[N] error;
  array[2] real<lower=0> mean_range, spread_range;
}
parameters {
  real<lower=log(mean_range[1]), upper=log(mean_range[2])> log_mean;
  real<lower=log(spread_range[1]), upper=log(spread_range[2])> log_spread;
}
transformed parameters {
  real mean_age = exp(log_mean), spread = exp(log_spread);
}
model {
  log_mean ~ uniform(log(mean_range[1]), log(mean_range[2]));
  log_spread ~ uniform(log(spread_range[1]), log(spread_range[2]));
  measured ~ normal(mean_age, sqrt(spread^2 + error .* error));
}
