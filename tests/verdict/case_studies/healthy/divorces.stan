// Rates of divorce and marriage, both known with errors: McElreath, Statistical Rethinking, 2nd ed., section 15.1; simulated.
data {
  int<lower=1> N;
  vector[N] divorce_seen;
  vector<lower=0>[N] divorce_se;
  vector[N] marriage_seen;
  vector<lower=0>[N] marriage_se;
  vector[N] age;
}
parameters {
  vector[N] divorce;
  vector[N] marriage;
  real alpha;
  vector[2] beta;
  real<lower=0> sigma;
}
model {
  alpha ~ normal(0, 0.2);
  beta ~ normal(0, 0.5);
  sigma ~ lognormal(-0.4, 0.25);
  marriage ~ normal(0, 1);
  divorce ~ normal(alpha + beta[1] * age + beta[2] * marriage, sigma);
  divorce_seen ~ normal(divorce, divorce_se);
  marriage_seen ~ normal(marriage, marriage_se);
}
