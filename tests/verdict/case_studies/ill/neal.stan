// Neal's funnel, nine values whose scale is lognormal: Neal (2003); Betancourt and Girolami (2013).
// expect: funnel log_scale
// may: x
data {
  int<lower=1> N;
}
parameters {
  real log_scale;
  vector[N] x;
}
model {
  log_scale ~ normal(0, 3);
  x ~ normal(0, exp(log_scale / 2));
}
