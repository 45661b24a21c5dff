// Means of one outcome each under the prior of the Bayesian lasso, as a normal distribution whose variance is exponential.
//   credo sample examples/texts/shrinkage_lasso.stan --data examples/texts/shrinkage.json
data {
  int<lower=1> J;
  vector[J] y;
  real<lower=0> lambda;
}
parameters {
  vector[J] z;
  vector<lower=0>[J] tau2;
}
transformed parameters {
  vector[J] w = sqrt(tau2) .* z;
}
model {
  z ~ std_normal();
  tau2 ~ exponential(0.5 * lambda^2);
  y ~ normal(w, 1);
}
