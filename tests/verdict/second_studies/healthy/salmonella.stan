// Revertant colonies of salmonella on plates with quinoline, overdispersed Poisson counts: Breslow, Applied Statistics 33
// (1984); BUGS examples, volume 1, "Salm".
// sample: --adapt-delta 0.95
data {
  int<lower=1> D;
  int<lower=1> P;
  vector<lower=0>[D] dose;
  array[D, P] int<lower=0> colonies;
}
parameters {
  real alpha;
  real beta;
  real<upper=0> gamma;
  real<lower=0> tau;
  matrix[D, P] z;
}
model {
  alpha ~ normal(3, 1);
  beta ~ normal(0, 1);
  gamma ~ normal(0, 0.01);
  tau ~ normal(0, 0.5);
  to_vector(z) ~ std_normal();
  for (d in 1:D) {
    colonies[d] ~ poisson_log(alpha + beta * log1p(dose[d] / 10) + gamma * dose[d] + tau * z[d]);
  }
}
generated quantities {
  real strongest_dose = -beta / gamma - 10;
}
