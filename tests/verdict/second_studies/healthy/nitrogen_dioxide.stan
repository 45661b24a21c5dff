// Respiratory illness and nitrogen dioxide in bedrooms, measured with Berkson error in three classes: Whittemore and Keller,
// Journal of the American Statistical Association 83 (1988); BUGS examples, volume 2, "Air".
data {
  int<lower=1> J;
  array[J] int<lower=0> children;
  array[J] int<lower=0> ill;
  vector[J] level;
}
parameters {
  real alpha;
  real<lower=0> beta;
  vector<offset=4.48 + 0.76 * level, multiplier=9>[J] exposure;
}
model {
  alpha ~ normal(0, 1);
  beta ~ gamma(3, 100);
  exposure ~ normal(4.48 + 0.76 * level, 9.01);
  ill ~ binomial_logit(children, alpha + beta * exposure);
}
generated quantities {
  real odds_ratio_10 = exp(10 * beta);
}
