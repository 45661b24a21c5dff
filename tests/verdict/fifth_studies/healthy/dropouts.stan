// Depression before and after two treatments, where patients who drop out have no second score, which is a parameter: Carpenter and Kenward, Multiple Imputation and its Application (2013); Mallinckrodt et al., Drug Information Journal 42 (2008); simulated. Accused: parameters without data, whose laws are predictions.
data {
  int<lower=1> N;
  vector[N] before;
  vector[N] treated;
  int<lower=0> N_seen;
  int<lower=0> N_missing;
  array[N_seen] int<lower=1, upper=N> seen;
  array[N_missing] int<lower=1, upper=N> missing;
  vector[N_seen] after_seen;
}
parameters {
  real intercept;
  real slope;
  real effect;
  real<lower=0> sigma;
  vector[N_missing] after_missing;
}
transformed parameters {
  vector[N] after;
  after[seen] = after_seen;
  after[missing] = after_missing;
}
model {
  intercept ~ normal(0, 2);
  slope ~ normal(0, 1);
  effect ~ normal(0, 1);
  sigma ~ normal(0, 1);
  after ~ normal(intercept + slope * before + effect * treated, sigma);
}
generated quantities {
  real mean_difference = dot_product(after, treated) / sum(treated) - dot_product(after, 1 - treated) / sum(1 - treated);
  array[N] int recovered;
  for (n in 1:N) {
    recovered[n] = after[n] < -1;
  }
}
