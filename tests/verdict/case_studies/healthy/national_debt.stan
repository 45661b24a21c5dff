// Debt of countries by their product, in currency units: Greene, Econometric Analysis, chapter 2, for the kind; simulated. Scales
// of the parameters differ by eleven orders of magnitude; the regression is in units of the data, as somebody hands it in.
// sample: --chains 2
data {
  int<lower=1> N;
  vector<lower=0>[N] product;
  vector[N] debt;
}
transformed data {
  real middle = mean(product);
}
parameters {
  real<offset=2e11, multiplier=1e10> at_middle;
  real per_unit;
  real<lower=0> sigma;
}
model {
  at_middle ~ normal(2e11, 1e11);
  per_unit ~ normal(0, 1);
  sigma ~ lognormal(log(2e10), 1);
  debt ~ normal(at_middle + per_unit * (product - middle), sigma);
}
generated quantities {
  real worst = exp(normal_rng(log(1e11), 2));
}
