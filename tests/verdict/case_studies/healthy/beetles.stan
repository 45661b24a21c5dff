// Mortality of beetles by the dose of carbon disulphide, complementary log-log curve: Bliss (1935); BUGS examples, volume 2,
// "Beetles". The dose less 1.65 is not centred, so that intercept and slope are correlated.
data {
  int<lower=1> N;
  vector[N] log_dose;
  array[N] int<lower=1> beetles;
  array[N] int<lower=0> killed;
}
parameters {
  real alpha;
  real beta;
}
model {
  alpha ~ normal(0, 50);
  beta ~ normal(0, 50);
  killed ~ binomial(beetles, inv_cloglog(alpha + beta * (log_dose - 1.65)));
}
generated quantities {
  real lethal_to_half = 1.65 + (log(log2()) - alpha) / beta;
}
