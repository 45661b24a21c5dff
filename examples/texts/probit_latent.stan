// Probit regression with a normal variable behind each outcome, which is 1 where it is positive. Integrated out it leaves Phi(x w).
//   credo sample examples/texts/probit_latent.stan --data examples/texts/probit.json
data {
  int<lower=0> N_yes, N_no;
  vector[N_yes] x_yes;
  vector[N_no] x_no;
}
parameters {
  real b, w;
  vector<lower=0>[N_yes] z_yes;
  vector<upper=0>[N_no] z_no;
}
model {
  b ~ normal(0, 2);
  w ~ normal(0, 2);
  z_yes ~ normal(b + w * x_yes, 1);
  z_no ~ normal(b + w * x_no, 1);
}
