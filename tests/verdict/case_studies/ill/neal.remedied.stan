// Neal's funnel, nine values whose scale is lognormal: Neal (2003); Betancourt and Girolami (2013).
// Remedied: values that are not centred.
data {
  int<lower=1> N;
}
parameters {
  real log_scale;
  vector[N] z;
}
transformed parameters {
  vector[N] x = exp(log_scale / 2) * z;
}
model {
  log_scale ~ normal(0, 3);
  z ~ std_normal();
}
