// Counts of epileptic seizures in a fortnight, Poisson with an effect of each patient that has hardly any data of its own:
// Thall and Vail, Biometrics 46 (1990); BUGS examples, volume 1, "Epilepsy"; simulated.
// expect: funnel tau/effect
// expect: divergences tau/effect
// expect: missing_mass tau/effect
// expect: low_energy_exchange tau
// may: tau effect
data {
  int<lower=1> N;
  vector[N] age;
  array[N] int<lower=0> seizures;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> tau;
  vector[N] effect;
}
model {
  alpha ~ normal(0, 1);
  beta ~ normal(0, 1);
  tau ~ normal(0, 0.5);
  effect ~ normal(0, tau);
  seizures ~ poisson_log(alpha + beta * age + effect);
}
