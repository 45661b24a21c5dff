// Stopping distances of cars by their speed, lognormal: after Ezekiel, Methods of Correlation Analysis (1930); simulated.
// Predictions at twice the highest speed have a long tail.
data {
  int<lower=1> N;
  vector<lower=0>[N] speed;
  vector<lower=0>[N] distance;
}
parameters {
  real<lower=0> a;
  real power;
  real<lower=0> sigma;
}
model {
  a ~ lognormal(0, 1);
  power ~ normal(1.5, 1);
  sigma ~ exponential(2);
  distance ~ lognormal(log(a) + power * log(speed / 20), sigma);
}
generated quantities {
  real at_eighty = lognormal_rng(log(a) + power * log(4), sigma);
  int longer_than_road = at_eighty > 100;
  real squared = square(at_eighty);
}
