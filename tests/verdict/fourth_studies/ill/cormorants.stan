// Years that ringed cormorants survive, recaptures in an m-array with survival that varies by year around its mean: Kery and
// Schaub, Bayesian Population Analysis using WinBUGS (2012), chapter 7; simulated, with the same survival in all years.
// expect: funnel sd_year/survival
// may: sd_year survival mu
data {
  int<lower=2> T;
  array[T - 1, T] int<lower=0> m;
}
parameters {
  real mu;
  real<lower=0> sd_year;
  vector[T - 1] survival;
  real<lower=0, upper=1> p;
}
model {
  mu ~ normal(0, 1.5);
  sd_year ~ normal(0, 1);
  survival ~ normal(mu, sd_year);
  p ~ beta(1, 1);
  for (i in 1:T - 1) {
    vector[T] cell = rep_vector(0, T);
    real unseen = 1;
    for (j in i:T - 1) {
      unseen *= inv_logit(survival[j]);
      cell[j] = unseen * p;
      unseen *= 1 - p;
    }
    cell[T] = 1 - sum(cell[1:T - 1]);
    target += sum(lmultiply(to_vector(m[i, i:T]), cell[i:T]));
  }
}
