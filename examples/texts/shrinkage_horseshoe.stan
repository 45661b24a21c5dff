// Means of one outcome each under a horseshoe prior with a known global scale: small ones shrink, large ones are left alone.
//   credo sample examples/texts/shrinkage_horseshoe.stan --data examples/texts/shrinkage.json
data {
  int<lower=1> J;
  vector[J] y;
  real<lower=0> tau;
}
parameters {
  vector[J] z;
  vector<lower=0>[J] local;
}
transformed parameters {
  vector[J] w = tau * local .* z;
}
model {
  z ~ std_normal();
  local ~ cauchy(0, 1);
  y ~ normal(w, 1);
}
