// Heights of pairs of twins (standardised), bivariate normal. The correlation has a uniform prior from -1 to 1, but its
// declaration allows more: Stan User's Guide, chapter on priors; simulated.
// expect: missing_constraint rho
data {
  int<lower=1> N;
  array[N] vector[2] height;
}
parameters {
  vector[2] mu;
  vector<lower=0>[2] s;
  real rho;
}
model {
  matrix[2, 2] Sigma = [[square(s[1]), rho * s[1] * s[2]], [rho * s[1] * s[2], square(s[2])]];
  mu ~ normal(0, 1);
  s ~ normal(0, 2);
  rho ~ uniform(-1, 1);
  height ~ multi_normal(mu, Sigma);
}
