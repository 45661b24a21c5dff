// Rings of dead lapwings that were ringed as chicks, survival of the first year and later, reporting that falls with time: Brownie et al., Statistical Inference from Band Recovery Data (1985); Besbeas et al., Biometrics 58 (2002); simulated. Accused: reporting and survival that are correlated, cells of nought.
data {
  int<lower=1> C;
  array[C, C + 1] int<lower=0> recovered;
}
parameters {
  real<lower=0, upper=1> first_year;
  real<lower=0, upper=1> later;
  real reporting;
  real trend;
}
transformed parameters {
  array[C] vector[C + 1] cell;
  for (i in 1:C) {
    cell[i] = rep_vector(0, C + 1);
    for (t in i:C) {
      real reported = inv_logit(reporting + trend * (t - 5.5));
      cell[i, t] = t == i ? (1 - first_year) * reported : first_year * later ^ (t - i - 1) * (1 - later) * reported;
    }
    cell[i, C + 1] = 1 - sum(cell[i, 1:C]);
  }
}
model {
  first_year ~ beta(1, 1);
  later ~ beta(1, 1);
  reporting ~ normal(-3, 1.5);
  trend ~ normal(0, 0.5);
  for (i in 1:C) {
    for (t in i:(C + 1)) {
      target += recovered[i, t] * log(cell[i, t]);
    }
  }
}
generated quantities {
  real years_of_grown = 1 / (1 - later);
  int fledged_per_recovery = poisson_rng(1200 * cell[C, C]);
}
