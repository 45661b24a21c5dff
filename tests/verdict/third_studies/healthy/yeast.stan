// Growth of yeast, a logistic curve with multiplicative errors: Carlson, Biochemische Zeitschrift 57 (1913); simulated.
data {
  int<lower=1> N;
  vector[N] hour;
  vector<lower=0>[N] mass;
}
parameters {
  real<lower=0> capacity;
  real<lower=0> rate;
  real<lower=0> start;
  real<lower=0> sigma;
}
model {
  capacity ~ lognormal(log(600), 0.5);
  rate ~ lognormal(-0.5, 0.5);
  start ~ lognormal(log(10), 0.5);
  sigma ~ normal(0, 0.3);
  mass ~ lognormal(log(capacity) - log1p((capacity / start - 1) * exp(-rate * hour)), sigma);
}
generated quantities {
  real fastest_at = log(capacity / start - 1) / rate;
  real tomorrow = capacity / (1 + (capacity / start - 1) * exp(-rate * 48));
}
