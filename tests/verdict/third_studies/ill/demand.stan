// Sales by price, both in logarithms; the elasticity was declared as positive, and sales fall with price: after Rossi, Allenby
// and McCulloch, Bayesian Statistics and Marketing (2005); simulated.
// expect: at_bound elasticity
data {
  int<lower=1> N;
  vector[N] log_price;
  vector[N] log_sales;
}
parameters {
  real alpha;
  real<lower=0> elasticity;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 5);
  elasticity ~ normal(0, 2);
  sigma ~ normal(0, 1);
  log_sales ~ normal(alpha + elasticity * log_price, sigma);
}
