// Sales of juice by price, both in logarithms, with an elasticity that was declared positive by mistake (it is about minus
// two): Rossi, Allenby and McCulloch, Bayesian Statistics and Marketing (2005), chapter 3; simulated. Remedied.
data {
  int<lower=1> N;
  vector[N] log_price;
  vector[N] log_sales;
}
parameters {
  real level;
  real elasticity;
  real<lower=0> sigma;
}
model {
  level ~ normal(5, 3);
  elasticity ~ normal(0, 3);
  sigma ~ normal(0, 2);
  log_sales ~ normal(level + elasticity * log_price, sigma);
}
