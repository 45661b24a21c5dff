// normal(0, 1) times exp(-c (|theta|^2 - 1)^2): in one dimension two modes, at -1 and 1 nearly, in more a shell
// [murphy2023, 13.6.2.1]:
//   credo sample examples/texts/two_wells.stan --data examples/texts/two_wells.json --sampler smc -o wells.nc
functions {
  real wells_lpdf(real c, vector theta) {
    return -c * square(dot_self(theta) - 1);
  }
}
data {
  int<lower=1> D;
  real<lower=0> c;
}
parameters {
  vector[D] theta;
}
model {
  theta ~ normal(0, 1);
  target += wells_lpdf(c | theta);
}
