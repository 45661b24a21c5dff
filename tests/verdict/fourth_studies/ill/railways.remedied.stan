// Output of railways by labour and capital in logarithms, of which labour's elasticity was declared as less than one: Cobb and
// Douglas, American Economic Review 18 (1928); Christensen and Greene, Journal of Political Economy 84 (1976), on returns to
// scale; simulated, with an elasticity above one. Remedied.
data {
  int<lower=1> N;
  vector[N] labour;
  vector[N] capital;
  vector[N] output;
}
parameters {
  real alpha;
  real<lower=0> of_labour;
  real<lower=0, upper=1> of_capital;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  of_labour ~ normal(0.7, 0.5);
  of_capital ~ normal(0.3, 0.5);
  sigma ~ normal(0, 1);
  output ~ normal(alpha + of_labour * labour + of_capital * capital, sigma);
}
