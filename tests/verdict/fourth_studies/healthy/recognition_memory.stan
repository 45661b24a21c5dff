// Recognition of words by twenty persons, hits and false alarms by discriminability and bias: Rouder and Lu, Psychonomic Bulletin
// and Review 12 (2005); Lee and Wagenmakers, Bayesian Cognitive Modeling (2013), chapter 11; simulated.
// sample: --adapt-delta 0.95
data {
  int<lower=1> J;
  int<lower=1> n;
  array[J] int<lower=0, upper=n> hits;
  array[J] int<lower=0, upper=n> false_alarms;
}
parameters {
  real mu_d;
  real mu_c;
  real<lower=0> sd_d;
  real<lower=0> sd_c;
  vector[J] z_d;
  vector[J] z_c;
}
transformed parameters {
  vector[J] d = mu_d + sd_d * z_d;
  vector[J] c = mu_c + sd_c * z_c;
}
model {
  mu_d ~ normal(1, 1);
  mu_c ~ normal(0, 1);
  sd_d ~ normal(0, 1);
  sd_c ~ normal(0, 1);
  z_d ~ std_normal();
  z_c ~ std_normal();
  hits ~ binomial(n, Phi(0.5 * d - c));
  false_alarms ~ binomial(n, Phi(-0.5 * d - c));
}
