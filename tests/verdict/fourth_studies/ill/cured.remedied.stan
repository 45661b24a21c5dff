// Relapse of a disease within ten years, when some patients are cured for good: Boag, Journal of the Royal Statistical Society B
// 11 (1949); simulated, when nobody is. The share of the cured has a normal prior and no bounds. Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] year;
  array[N] int<lower=0, upper=1> relapse;
}
parameters {
  real<lower=0, upper=1> cured;
  real<lower=0> rate;
}
model {
  cured ~ normal(0.2, 0.2);
  rate ~ gamma(2, 4);
  for (n in 1:N) {
    if (relapse[n] == 1) {
      target += log(1 - cured) + exponential_lpdf(year[n] | rate);
    } else {
      target += log(cured + (1 - cured) * exp(-rate * year[n]));
    }
  }
}
