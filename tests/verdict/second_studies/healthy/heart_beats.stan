// Premature contractions of the heart in a minute before and after a drug, a mixture of cured and uncured patients: Berry,
// Biometrics 43 (1987); BUGS examples, volume 2, "Hearts".
data {
  int<lower=1> N;
  array[N] int<lower=0> before;
  array[N] int<lower=0> after;
}
parameters {
  real<lower=0, upper=1> cured;
  real<lower=0, upper=1> remaining;
}
model {
  cured ~ beta(1, 1);
  remaining ~ beta(1, 1);
  for (n in 1:N) {
    if (after[n] == 0) {
      target += log_mix(cured, 0, binomial_lpmf(0 | before[n] + after[n], remaining));
    } else {
      target += log1m(cured) + binomial_lpmf(after[n] | before[n] + after[n], remaining);
    }
  }
}
generated quantities {
  real odds = remaining / (1 - remaining);
  array[N] int is_cured;
  for (n in 1:N) {
    is_cured[n] = after[n] > 0 ? 0 : bernoulli_rng(cured / (cured + (1 - cured) * pow(1 - remaining, before[n])));
  }
}
