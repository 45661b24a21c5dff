// Survival and recapture of dippers: Lebreton et al. (1992); Brooks, Catchpole and Morgan (2000); King et al., Bayesian Analysis
// for Population Ecology. A row a year of release: first recaptures by year, last column never.
data {
  int<lower=1> T;
  array[T, T + 1] int<lower=0> first_recapture;
  int<lower=1, upper=T> flood_1;
  int<lower=1, upper=T> flood_2;
}
parameters {
  real<lower=0, upper=1> recapture;
  real<lower=0, upper=1> survival;
  real<lower=0, upper=1> survival_flood;
}
model {
  for (t in 1:T) {
    vector[T + 1] p = rep_vector(0, T + 1);
    real reached = 1;
    for (s in t:T) {
      reached *= s == flood_1 || s == flood_2 ? survival_flood : survival;
      p[s] = reached * recapture;
      reached *= 1 - recapture;
    }
    p[T + 1] = 1 - sum(p[1:T]);
    first_recapture[t, t:T + 1] ~ multinomial(p[t:T + 1]);
  }
}
generated quantities {
  real years_left = -1 / log(survival);
  int<lower=0, upper=1> flood_kills = survival_flood < survival;
}
