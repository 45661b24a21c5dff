// Recruits by spawners of a salmon stock, Ricker's curve: Hilborn and Walters, Quantitative Fisheries Stock Assessment (1992), chapter 7; simulated. Accused: quantities from a hundred-thousandth to a million, a forecast with a lognormal tail, an offset and multiplier.
data {
  int<lower=1> N;
  vector<lower=0>[N] spawners;
  vector<lower=0>[N] recruits;
}
parameters {
  real productivity;
  real<offset=-11.5, multiplier=0.5> log_crowding;
  real<lower=0> sigma;
}
transformed parameters {
  real crowding = exp(log_crowding);
}
model {
  productivity ~ normal(1, 1);
  log_crowding ~ normal(-11.5, 1);
  sigma ~ normal(0, 1);
  log(recruits ./ spawners) ~ normal(productivity - crowding * spawners, sigma);
}
generated quantities {
  real spawners_of_most_recruits = 1 / crowding;
  real most_recruits = exp(productivity - 1) / crowding;
  vector[3] forecast;
  forecast[1] = lognormal_rng(log(20000) + productivity - crowding * 20000, sigma);
  forecast[2] = lognormal_rng(log(100000) + productivity - crowding * 100000, sigma);
  forecast[3] = lognormal_rng(log(400000) + productivity - crowding * 400000, sigma);
}
