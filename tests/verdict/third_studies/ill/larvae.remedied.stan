// Larvae killed by six doses of an insecticide, a Hill curve, with a wide prior of its exponent: Ritz et al., PLOS ONE 10 (2015),
// on dose-response analysis; simulated. At nearly all starts the curve is a step, with probabilities of 1 to the last digit.
// Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] dose;
  array[N] int<lower=0> larvae;
  array[N] int<lower=0> dead;
}
parameters {
  real<lower=0> h;
  real<lower=0> half;
}
model {
  h ~ lognormal(0, 0.5);
  half ~ lognormal(3, 2);
  for (n in 1:N) {
    dead[n] ~ binomial_logit(larvae[n], h * (log(dose[n]) - log(half)));
  }
}
