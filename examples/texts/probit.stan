// Probit regression (probit_latent.stan) with the variables behind its outcomes integrated out.
//   credo sample examples/texts/probit.stan --data examples/texts/probit.json
data {
  int<lower=0> N_yes, N_no;
  vector[N_yes] x_yes;
  vector[N_no] x_no;
}
parameters {
  real b, w;
}
model {
  b ~ normal(0, 2);
  w ~ normal(0, 2);
  target += std_normal_lcdf(b + w * x_yes | ) + std_normal_lccdf(b + w * x_no | );
}
