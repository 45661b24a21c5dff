// Mutants in twenty-five cultures by numbers of cells, a rate of some hundred-millionths: after Lea and Coulson, Journal of
// Genetics 49 (1949), with Poisson numbers; simulated. Figures are tiny and are meant so.
data {
  int<lower=1> N;
  vector<lower=0>[N] cells;
  array[N] int<lower=0> mutants;
}
parameters {
  real log10_rate;
}
transformed parameters {
  real rate = pow(10, log10_rate);
}
model {
  log10_rate ~ normal(-8, 1);
  mutants ~ poisson(rate * cells);
}
generated quantities {
  real none_of_a_million = exp(-rate * 1e6);
  real at_least_one = -expm1(-rate * 1e6);
  real times_two = 2 * rate;
}
