// The same beetles by the complementary log-log: few survive a high dose, many a low one.
data {
  int<lower=0> N;
  vector[N] log_dose;
  array[N] int<lower=0> exposed, killed;
}
parameters {
  real middle;
  real<lower=0> slope;
}
model {
  middle ~ normal(0, 2);
  slope ~ normal(0, 5);
  killed ~ binomial(exposed, inv_cloglog(middle + slope * (log_dose - 1.8) / 0.1));
}
generated quantities {
  real half = 10 ^ (1.8 + 0.1 * (log(log(2)) - middle) / slope);
  real most = 10 ^ (1.8 + 0.1 * (log(-log(0.05)) - middle) / slope);
}
