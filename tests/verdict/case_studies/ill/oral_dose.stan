// Concentration after an oral dose, whose bioavailability and volume are known as a ratio only: Gibaldi and Perrier,
// Pharmacokinetics, chapter 2; Rowland and Tozer, Clinical Pharmacokinetics; simulated.
// expect: flat_direction available volume
data {
  int<lower=1> N;
  real<lower=0> dose;
  vector<lower=0>[N] hour;
  vector<lower=0>[N] concentration;
}
parameters {
  real<lower=0> available;
  real<lower=0> volume;
  real<lower=0> rate;
  real<lower=0> sigma;
}
model {
  available ~ lognormal(0, 5);
  volume ~ lognormal(3, 5);
  rate ~ lognormal(-2, 1);
  sigma ~ lognormal(-2, 0.5);
  concentration ~ lognormal(log(available * dose / volume) - rate * hour, sigma);
}
