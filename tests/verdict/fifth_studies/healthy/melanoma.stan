// Relapse of melanoma with a share of cured patients: Berkson and Gage, JASA 47 (1952); Ibrahim, Chen and Sinha, Bayesian Survival Analysis (2001), chapter 5; simulated. Accused: a mixture; censored data; chances of cure that are constant where a relapse was seen.
data {
  int<lower=1> N;
  vector<lower=0>[N] years;
  array[N] int<lower=0, upper=1> relapsed;
}
parameters {
  real<lower=0, upper=1> cured;
  real<lower=0> shape;
  real<lower=0> scale;
}
model {
  cured ~ beta(1, 1);
  shape ~ lognormal(0, 0.5);
  scale ~ lognormal(0.5, 1);
  for (n in 1:N) {
    if (relapsed[n]) {
      target += log1m(cured) + weibull_lpdf(years[n] | shape, scale);
    } else {
      target += log_mix(cured, 0, -(years[n] / scale) ^ shape);
    }
  }
}
generated quantities {
  vector[N] chance_of_cure;
  for (n in 1:N) {
    chance_of_cure[n] = relapsed[n] ? 0 : cured / (cured + (1 - cured) * exp(-(years[n] / scale) ^ shape));
  }
  int relapses_in_hundred = binomial_rng(100, 1 - cured);
}
