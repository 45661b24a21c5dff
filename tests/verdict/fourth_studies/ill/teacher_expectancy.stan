// Effect of teachers' expectations on pupils, nineteen experiments: Raudenbush, Journal of Educational Psychology 76 (1984).
// Effects of the experiments are drawn around their mean; the spread among them is small beside their standard errors.
// expect: funnel tau/theta
// may: tau theta mu
data {
  int<lower=1> J;
  vector[J] y;
  vector<lower=0>[J] se;
}
parameters {
  real mu;
  real<lower=0> tau;
  vector[J] theta;
}
model {
  mu ~ normal(0, 1);
  tau ~ normal(0, 0.5);
  theta ~ normal(mu, tau);
  y ~ normal(theta, se);
}
