parameters {
  real m;
  vector<lower=0>[2] s;
}
model {
  m ~ normal(0, 1);
  s ~ exponential(1);
}
generated quantities {
  real g = normal_rng(m, s[1]);
}
