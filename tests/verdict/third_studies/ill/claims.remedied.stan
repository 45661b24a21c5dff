// Claims of insured drivers, Poisson with an error of each driver for overdispersion: after Gelman and Hill, Data Analysis Using
// Regression (2007), section 15.1; simulated, and there is hardly any overdispersion. Remedied.
data {
  int<lower=1> N;
  vector<lower=0>[N] years;
  vector[N] age;
  array[N] int<lower=0> claims;
}
parameters {
  real alpha;
  real beta;
  real<lower=0> sigma;
  vector[N] eps_raw;
}
transformed parameters {
  vector[N] eps = sigma * eps_raw;
}
model {
  alpha ~ normal(0, 2);
  beta ~ normal(0, 1);
  sigma ~ normal(0, 1);
  eps_raw ~ std_normal();
  claims ~ poisson_log(log(years) + alpha + beta * age + eps);
}
