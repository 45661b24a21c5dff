// A normal law whose mean and scale become known row by row [murphy2023, fig. 13.15]:
//   credo sample examples/ibis/normal.stan --data examples/ibis/normal.json --sampler ibis
data {
  int N;
  vector[N] y;
}
parameters {
  real mu;
  real<lower=0> sigma;
}
model {
  mu ~ normal(0, 1);
  sigma ~ gamma(1, 1);
  y ~ normal(mu, sigma);
}
