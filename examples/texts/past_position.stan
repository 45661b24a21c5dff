// Where was a particle that now is at x? Its density n(z), that of all particles, is the prior, and the step since then is normal:
// the most probable place is x + sigma^2 (log n)' to first order, up the slope of the density, so that there is a flow down it
// [jaynes1989]. n is a mixture of two normal laws.
//   credo optimize examples/texts/past_position.stan --data examples/texts/past_position.json
data {
  real x;
  real<lower=0> sigma;
}
parameters {
  real z;
}
model {
  target += log_mix(0.5, normal_lpdf(z | -1, 1), normal_lpdf(z | 2, 0.7));
  x ~ normal(z, sigma);
}
