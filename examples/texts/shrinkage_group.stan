// Two means that share one variance, which is a gamma variable: the density of the pair is proportional to exp(-lambda |w|).
//   credo sample examples/texts/shrinkage_group.stan --data examples/texts/shrinkage.json
data {
  vector[2] pair;
  real<lower=0> lambda;
}
parameters {
  vector[2] z;
  real<lower=0> tau2;
}
transformed parameters {
  vector[2] w = sqrt(tau2) * z;
}
model {
  z ~ std_normal();
  tau2 ~ gamma(1.5, 0.5 * lambda^2);
  pair ~ normal(w, 1);
}
