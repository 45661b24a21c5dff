// Girls among births, of all births of a country and of those with placenta praevia: Laplace; Bayesian Data Analysis, 3rd ed.,
// section 2.4. Millions of births leave little doubt.
data {
  int<lower=0> girls;
  int<lower=0> births;
  int<lower=0> praevia_girls;
  int<lower=0> praevia_births;
}
parameters {
  real<lower=0, upper=1> p;
  real<lower=0, upper=1> p_praevia;
}
model {
  p ~ beta(1, 1);
  p_praevia ~ beta(1, 1);
  girls ~ binomial(births, p);
  praevia_girls ~ binomial(praevia_births, p_praevia);
}
generated quantities {
  real difference = p_praevia - p;
  int<lower=0, upper=1> more_boys = p < 0.5;
  int predicted_girls = binomial_rng(births, p);
}
