// A survey that sees each star with a known probability. Its number of stars is summed out, which leaves a Poisson distribution with
// the rate share * area * density.
//   credo sample examples/texts/thinned_survey.stan --data examples/texts/thinned_survey.json --discrete sum
data {
  real<lower=0> area;
  real<lower=0, upper=1> share;
  int<lower=0> found;
  int<lower=found> most;
}
parameters {
  real<lower=0> density;
  int<lower=0, upper=most> there;
}
model {
  density ~ gamma(3, 0.5);
  there ~ poisson(area * density);
  found ~ binomial(there, share);
}
