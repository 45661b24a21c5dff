// Six outcomes of mean 1 from normal(m, 1), m uniform on (-width, width): the wider the prior, the less its evidence, whose ratio
// to that of known_mean.stan is exp(3) sqrt(2 pi / 6) / (2 width) once the prior holds the likelihood.
//   credo evidence examples/texts/free_mean.stan --data examples/texts/means.json
data {
  int<lower=0> N;
  vector[N] y;
  real<lower=0> width;
}
parameters {
  real<lower=-width, upper=width> m;
}
model {
  m ~ uniform(-width, width);
  y ~ normal(m, 1);
}
