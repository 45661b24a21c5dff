// The age of one star, measured with a known error, where stars of its kind have a normal distribution of ages.
//   credo exact examples/texts/star_age.stan --data examples/texts/star_age.json
data {
  real kind_mean;
  real<lower=0> kind_sd;
  real measured;
  real<lower=0> error;
}
parameters {
  real age;
}
model {
  age ~ normal(kind_mean, kind_sd);
  measured ~ normal(age, error);
}
